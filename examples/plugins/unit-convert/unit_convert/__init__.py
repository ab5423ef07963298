"""Unit conversion as a GUM plugin."""
