"""TensorFlow's functions beyond the ops: compositions, under its names and with its arguments."""
