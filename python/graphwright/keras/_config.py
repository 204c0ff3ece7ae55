"""Settings of Keras's, which have one value here."""

from __future__ import annotations


def backend() -> str:
    """Names the library that computes.

    Returns:
      Name.

    Example:
      >>> gw.keras.config.backend()
      'graphwright'
    """
    return "graphwright"


def floatx() -> str:
    """Names the dtype of weights that no other is asked for.

    Returns:
      Name.

    Example:
      >>> gw.keras.config.floatx()
      'float32'
    """
    return "float32"


def set_floatx(value: str) -> None:
    """Accepts the dtype of weights that there is.

    Args:
      value: `"float32"`.

    Returns:
      Nothing.

    Raises:
      ValueError: it is another dtype, which layers take as `dtype`.

    Example:
      >>> gw.keras.config.set_floatx("float32")
      >>> gw.keras.config.floatx()
      'float32'
    """
    if value != "float32":
        raise ValueError(
            f"weights are float32 unless a layer says another dtype: `Dense(3, dtype={value!r})`"
        )


def epsilon() -> float:
    """Gives the number by which losses keep probabilities from 0 and 1.

    Returns:
      float.

    Example:
      >>> gw.keras.config.epsilon()
      1e-07
    """
    return 1e-7


def set_epsilon(value: float) -> None:
    """Accepts the number that there is.

    Args:
      value: 1e-7.

    Returns:
      Nothing.

    Raises:
      ValueError: it is another number.

    Example:
      >>> gw.keras.config.set_epsilon(1e-7)
      >>> gw.keras.config.epsilon()
      1e-07
    """
    if value != 1e-7:
        raise ValueError(f"`epsilon` is 1e-7, not {value}: layers take their own `epsilon`")


def image_data_format() -> str:
    """Names the order of axes of images that no other is asked for.

    Returns:
      Name.

    Example:
      >>> gw.keras.config.image_data_format()
      'channels_last'
    """
    return "channels_last"


def set_image_data_format(data_format: str) -> None:
    """Accepts the order that there is.

    Args:
      data_format: `"channels_last"`.

    Returns:
      Nothing.

    Raises:
      ValueError: it is another order, which layers take as `data_format`.

    Example:
      >>> gw.keras.config.set_image_data_format("channels_last")
      >>> gw.keras.config.image_data_format()
      'channels_last'
    """
    if data_format != "channels_last":
        raise ValueError(
            "channels are last unless a layer says so: `Conv2D(3, 3, data_format='channels_first')`"
        )
