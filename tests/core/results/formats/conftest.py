from git_repository import repository

__all__ = ["repository"]
