"""Trust: takes away, for good, this process's right to store and to send, and tries whether it is gone.

Stdlib only, so that it can run before any library is imported.
"""
