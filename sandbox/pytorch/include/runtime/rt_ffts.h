// Replaces a CANN header that some bindings include but do not use.
