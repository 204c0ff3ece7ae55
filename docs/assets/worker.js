/* Runs the search of pages that are opened from the disk, where browsers allow no Worker: its script runs in a hidden frame. */
(function () {
  if (location.protocol !== "file:") return;
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.setAttribute("aria-hidden", "true");
      frame.title = "search";
      document.body.appendChild(frame);
      const inner = frame.contentWindow;
      const listeners = [];
      inner.Worker = undefined;
      inner.addEventListener = (type, listener) => { if (type === "message") listeners.push(listener); };
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inner.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => load(each)), Promise.resolve());
      const load = (source) => new Promise((resolve, reject) => {
        const script = frame.contentDocument.createElement("script");
        script.src = source;
        script.onload = resolve;
        script.onerror = reject;
        frame.contentDocument.body.appendChild(script);
      });
      this.receive = (data) => {
        const event = new MessageEvent("message", { data });
        for (const listener of listeners) listener.call(inner, event);
        if (inner.onmessage) inner.onmessage(event);
      };
      load(new URL(url, location.href)).then(() => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach(this.receive);
      });
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.receive(data);
    }
    terminate() {}
  }
  window.Worker = FrameWorker;
})();
