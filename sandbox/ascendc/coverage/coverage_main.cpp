#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sandbox/ascendc/call_forms.h"

// Writes docs/ascend-c-coverage.md from the headers, the tests and the tables beside this file; with --check it only
// says whether the file is up to date.
//
//   ascendc_coverage <source folder> [--check]

namespace {

namespace fs = std::filesystem;
using kg::sandbox::ascendc::CallForms;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::vector<std::string>> rows_of(const fs::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text_of(file));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> row(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        row.emplace_back();
      else
        row.back() += c;
    }
    rows.push_back(row);
  }
  return rows;
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t find_word(const std::string& text, const std::string& word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !in_name(text[at - 1])) && (at + word.size() >= text.size() || !in_name(text[at + word.size()])))
      return at;
  return std::string::npos;
}

// "Suite.Name" of the test that the position is in; for a table of cases, the suite that it instantiates.
std::string test_at(const std::string& text, std::size_t position) {
  std::size_t best = std::string::npos;
  for (const char* start : {"\nTEST(", "\nTEST_F(", "\nTEST_P(", "\nINSTANTIATE_TEST_SUITE_P("})
    if (const std::size_t at = text.rfind(start, position); at != std::string::npos)
      if (best == std::string::npos || at > best) best = at;
  if (best == std::string::npos) return {};
  const bool table = text.compare(best + 1, 11, "INSTANTIATE") == 0;
  const std::size_t open = text.find('(', best), close = text.find_first_of(table ? ";" : ")", open);
  std::string inside = text.substr(open + 1, close - open - 1), first, second;
  std::istringstream words(inside);
  std::getline(words, first, ',');
  std::getline(words, second, ',');
  const auto trim = [](std::string& s) {
    s.erase(0, s.find_first_not_of(" \n"));
    s.erase(s.find_last_not_of(" \n") + 1);
  };
  trim(first), trim(second);
  return table ? second : first + "." + second;
}

struct TestFile {
  std::string name, text;
};

std::string without_comments(const std::string& text) {
  std::istringstream lines(text);
  std::string line, result = "\n";
  while (std::getline(lines, line)) result += line.substr(0, line.find("// ")) + "\n";
  return result;
}

std::vector<TestFile> test_files(const fs::path& source) {
  std::vector<TestFile> files;
  for (const char* folder : {"tests/unit", "tests/invariant", "tests/integration"})
    for (const auto& entry : fs::recursive_directory_iterator(source / folder))
      if (const std::string path = entry.path().lexically_relative(source / "tests").string();
          entry.is_regular_file() && path.find("ascendc") != std::string::npos && entry.path().extension() == ".cpp" &&
          path.find("strict_calls") == std::string::npos)
        files.push_back({path, without_comments(text_of(entry.path()))});
  std::sort(files.begin(), files.end(), [](const TestFile& a, const TestFile& b) { return a.name < b.name; });
  return files;
}

// A call is its name with arguments, or the name as text (tables of cases).
bool is_use(const std::string& text, std::size_t at, std::size_t size, bool is_call) {
  if (!is_call) return true;
  const char after = at + size < text.size() ? text[at + size] : ' ';
  return after == '(' || after == '<' || after == '"' || (at > 0 && text[at - 1] == '"');
}

// 0: looks at results; 1: at faults and time; 2: compiles only.
int strength(const std::string& file) {
  for (const char* word : {"compile", "language", "strict", "kernel"})
    if (file.find(word) != std::string::npos) return 2;
  for (const char* word : {"faults", "time", "pipes"})
    if (file.find(word) != std::string::npos) return 1;
  return 0;
}

// The test that uses the word, the strongest kind first.
std::string proof(const std::string& word, bool is_call, const std::vector<TestFile>& files) {
  std::string best;
  int best_strength = 3;
  for (const TestFile& file : files) {
    if (strength(file.name) >= best_strength) continue;
    for (std::size_t at = find_word(file.text, word); at != std::string::npos;
         at = find_word(file.text, word, at + 1)) {
      const std::string test = test_at(file.text, at);
      if (test.empty() || !is_use(file.text, at, word.size(), is_call)) continue;
      best = fs::path(file.name).stem().string() + " " + test;
      best_strength = strength(file.name);
      break;
    }
  }
  return best;
}

std::string render(const fs::path& source) {
  const fs::path include = source / "sandbox/ascendc/include", tables = source / "sandbox/ascendc/coverage";
  const CallForms forms = kg::sandbox::ascendc::read_call_forms(include.string());
  const std::vector<TestFile> tests = test_files(source);
  std::string headers;
  for (const auto& entry : fs::recursive_directory_iterator(include))
    if (entry.is_regular_file() && entry.path().filename().string().find("abi") == std::string::npos)
      headers += text_of(entry.path()) + "\n";
  std::map<std::string, std::string> remarks;
  for (const auto& row : rows_of(tables / "remarks.csv"))
    if (row.size() >= 2) {
      remarks[row[0]] = row[1];
      for (std::size_t i = 2; i < row.size(); ++i) remarks[row[0]] += "," + row[i];
    }
  std::multimap<std::string, std::size_t> counts;  // arguments that occur
  for (const auto& row : rows_of(tables / "forms.csv"))
    if (row.size() >= 3) counts.emplace(row[0], std::stoul(row[2]));

  struct Name {
    std::string name, category;
    int tasks, rank;
  };
  std::vector<Name> names;
  for (const auto& row : rows_of(tables / "usage.csv"))
    if (row.size() >= 9) names.push_back({row[1], row[2], std::stoi(row[3]), row[8].empty() ? 0 : std::stoi(row[8])});
  std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) {
    return std::pair(a.rank == 0, a.rank) < std::pair(b.rank == 0, b.rank);
  });

  std::map<std::string, int> totals;
  int first_hundred = 0;
  std::string table;
  for (const Name& name : names) {
    // DTYPE_<tensor> and [aicore] are found by their fixed part.
    std::string word = name.name.substr(0, name.name.find('<'));
    const bool prefix = word != name.name;
    if (word == "[aicore]") word = "__aicore__";  // adapted_source()
    const bool known =
        forms.count(word) > 0 || (prefix ? headers.find(word) : find_word(headers, word)) != std::string::npos;
    std::string missing;
    for (auto [it, end] = counts.equal_range(word); known && it != end; ++it) {
      bool taken = forms.count(word) == 0;
      for (auto [form, last] = forms.equal_range(word); form != last; ++form)
        taken |=
            it->second >= form->second.least() && (it->second <= form->second.parameters.size() ||
                                                   form->second.template_parameters.find("...") != std::string::npos);
      if (!taken) missing += (missing.empty() ? "" : ", ") + std::to_string(it->second);
    }
    const std::string test =
        known ? proof(name.name == "[aicore]" ? "[aicore]" : word, forms.count(word) > 0, tests) : std::string();
    const char* status = !known ? "missing" : !missing.empty() ? "partly" : test.empty() ? "no test" : "done";
    ++totals[status];
    first_hundred += name.rank > 0 && name.rank <= 100 && std::string(status) == "done";
    std::string remark = remarks.contains(name.name) ? remarks[name.name] : std::string();
    if (!missing.empty()) remark = "no form with " + missing + " arguments" + (remark.empty() ? "" : "; " + remark);
    table += "| " + (name.rank > 0 ? std::to_string(name.rank) : "") + " | `" + name.name + "` | " + name.category +
             " | " + std::to_string(name.tasks) + " | " + status + " | " + test + " | " + remark + " |\n";
  }

  std::string calls;
  std::string last;
  std::set<std::string> seen;
  for (const auto& [name, form] : forms) {
    const std::string text = form.text(name);
    if (!seen.insert(text).second) continue;
    if (name != last) {
      const std::string test = proof(name, /*is_call=*/true, tests);
      calls += "\n**" + name + "**" + (test.empty() ? "" : " (" + test + ")") + "\n\n";
    }
    last = name;
    calls += "- `" + text + "`\n";
  }

  std::ostringstream out;
  out << "# What of Ascend C the emulated NPU has\n\n"
      << "Generated by `ascendc_coverage` from the headers (`sandbox/ascendc/include`), the tests and the tables in\n"
      << "`sandbox/ascendc/coverage`; `cmake --build build/sandbox --target ascendc_coverage_update` writes it anew. "
         "Names and the tasks of\n"
      << "153 that use them are from a count over NPUKernelBench's reference kernels; the order makes the most "
         "kernels\n"
      << "complete soonest. `done`: declared in every form that occurs (by number of arguments) and used by the named "
         "test;\n"
      << "`partly`: a form that occurs is missing; `no test`: declared, no test of its own; `missing`: refused by the "
         "compiler.\n\n"
      << names.size() << " names: " << totals["done"] << " done, " << totals["partly"] << " partly, "
      << totals["no test"] << " without a test, " << totals["missing"]
      << " missing. Of the first 100 by order: " << first_hundred << " done.\n\n"
      << "| order | name | kind | tasks | status | test | remark |\n|---|---|---|---|---|---|---|\n"
      << table << "\n## Forms\n\nEvery call that compiles, with its parameters and data types.\n"
      << calls;
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <source folder> [--check]\n", argv[0]);
    return 2;
  }
  const fs::path source = argv[1], file = source / "docs/ascend-c-coverage.md";
  const std::string wanted = render(source);
  if (argc > 2 && std::string(argv[2]) == "--check") {
    if (text_of(file) == wanted) return 0;
    std::fprintf(stderr, "%s is out of date: cmake --build build/sandbox --target ascendc_coverage_update\n",
                 file.c_str());
    return 1;
  }
  std::ofstream(file, std::ios::binary) << wanted;
}
