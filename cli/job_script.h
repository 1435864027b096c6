#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file.h"

namespace kg::cli {

// The template of a job script with each @NAME@ replaced by its value; "@@" before a name stands for a literal @
// and the name (--signal=TERM@@GRACE@ becomes --signal=TERM@120). Throws Error, with the file, for an unknown name.
std::string fill_template(const std::string& text, const std::map<std::string, std::string>& values,
                          const std::string& where);

// The template NAME.sh from `folder`, else from $KGTRAIN_HOME/templates, else kgtrain's own.
fs::path find_template(const std::string& name, const fs::path& folder);

// Quotes a word so that a shell reads it back unchanged.
std::string shell_word(const std::string& word);
std::string shell_words(const std::vector<std::string>& words);  // separated by blanks

}  // namespace kg::cli
