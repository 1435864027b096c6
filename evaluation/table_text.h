#pragma once

#include <string>
#include <vector>

namespace kg::evaluation {

// A table for a reader: columns padded to one width, the first to the left. Where it is wider than `columns` (0: any
// width), each row becomes its name and, below, the named cells. The first row holds the columns' names.
std::string table_text(const std::vector<std::vector<std::string>>& rows, int columns);

// Text broken at blanks into lines of at most `columns` characters; 0: as it is.
std::string wrapped_text(const std::string& text, int columns);

}  // namespace kg::evaluation
