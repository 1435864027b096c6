// In place of the C library's list of functions that are missing on a processor; a kernel links with none of them.
