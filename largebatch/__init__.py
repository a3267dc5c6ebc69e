"""Engines, checks and demos behind the notebooks of the course on large-batch and distributed training."""
