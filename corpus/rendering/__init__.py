"""Code as HTML: decoding, highlighting, and the rows of a diff. The only place that marks strings as safe."""
