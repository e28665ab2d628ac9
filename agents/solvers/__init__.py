"""Exact solutions, in fractions."""
