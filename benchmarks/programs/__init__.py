"""Whole tasks over real servers, each done in four ways: what a program saves."""
