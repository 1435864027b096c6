#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file.h"

namespace kg::cli {

// A template of a job's script with each @NAME@ replaced by its value; "@@" before a name's @ stands for one @ and the
// name (--signal=TERM@@GRACE@ becomes --signal=TERM@120). Throws Error naming the file for a name that is not known.
std::string fill_template(const std::string& text, const std::map<std::string, std::string>& values,
                          const std::string& where);

// The template NAME.sh: of `folder`, else of $KGTRAIN_HOME/templates, else kgtrain's own.
fs::path find_template(const std::string& name, const fs::path& folder);

// A word as a shell reads it back.
std::string shell_word(const std::string& word);
std::string shell_words(const std::vector<std::string>& words);  // with a blank between

}  // namespace kg::cli
