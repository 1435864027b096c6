// What people get wrong, one row each: every message names the thing, what was found, what was wanted and what to do,
// and the exit status is that of README. Rows are sorted by what is wrong, since what is mended is the class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "dataset/store/dataset.h"
#include "tests/security/hacks/hack.h"
#include "tests/support/local_port.h"
#include "tests/support/run_kgtrain.h"
#include "tests/support/shared_cache.h"
#include "tests/support/small_dataset.h"

namespace kg::cli {
namespace {

using kg::testing::Ran;
using ::testing::HasSubstr;

struct Wrong {
  const char* words;
  int status;
  std::vector<const char*> said;
};

constexpr int kUsage = 2, kEnvironment = 3;

class WrongInput : public ::testing::Test {
 protected:
  WrongInput() {
    kg::testing::make_small_dataset(path("some.h5"));
    kg::share_cache(path("home"));
    fs::create_directories(path("folder"));
    fs::create_directories(path("home/models/smol"));
    fs::create_directories(path("half"));
    write("half/config.json", "{}");
    fs::create_directories(path("home/runs/bad"));
    write("home/runs/bad/config.json", R"({"command": "sft", "options": {}})");
    write("home/runs/bad/status.json", "{");
    write("empty", "");
    write("kernel.cpp", "int x;");
    write("page.gguf", "<!DOCTYPE html><html>not found</html>");
    write("pointer.gguf", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    write("pointer.h5", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    write("cut.gguf", "GGUF\x03");
    write("broken.toml", "jobs = \n");
    write("type.toml", "jobs = \"many\"\n");
    write("typo.toml", "jbos = 3\n");
    write("latin.toml", "\xff\xfe = 1\n");
    write("broken.json", "{\"a\": 1");
    write("numbers.json", "[1, 2]");
    write("nothing.py", "x = 1\n");
    write("module.py", "import torch\ndef relu(x): return x.relu()\n");
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void check(const std::vector<Wrong>& rows) const {
    for (const Wrong& row : rows) {
      const Ran ran = kg::testing::run_kgtrain(
          row.words + std::string(" < /dev/null"),
          "cd '" + folder_.path().string() + "' && KGTRAIN_HOME='" + path("home") + "' timeout 60");
      SCOPED_TRACE("kgtrain " + std::string(row.words) + "\n" + ran.output);
      EXPECT_EQ(ran.status, row.status);
      for (const char* one : row.said) EXPECT_THAT(ran.output, HasSubstr(one));
      for (const char* every : {"error: ", "\n  at: ", "\n  try: "}) EXPECT_THAT(ran.output, HasSubstr(every));
      for (const char* never : {"filesystem error", "json.exception", "std::", "what()", ".tmp"})
        EXPECT_THAT(ran.output, ::testing::Not(HasSubstr(never)));
    }
  }

  TemporaryFolder folder_;
};

TEST_F(WrongInput, OptionsThatAreNone) {
  check({{"frobnicate", kUsage, {"unknown command"}},
         {"jugde", kUsage, {"did you mean \"kgtrain judge\"?"}},
         {"data inof", kUsage, {"did you mean \"kgtrain data info\"?"}},
         {"judge --dta some.h5", kUsage, {"unknown option --dta", "did you mean --data?"}},
         {"judge -data some.h5", kUsage, {"unknown option -data", "two hyphens", "did you mean --data?"}},
         {"judge some.h5", kUsage, {"unexpected word \"some.h5\"", "it is not the value of an option"}},
         {"tasks show a b", kUsage, {"unexpected word \"b\"", "one word too many"}},
         {"judge --no-task", kUsage, {"unknown option --no-task"}},
         {"submit rl --nodez 3", kUsage, {"unknown option --nodez", "did you mean --nodes?"}},
         {"completion fish", kUsage, {"\"fish\" cannot be printed", "bash, zsh or man"}},
         {"data info", kUsage, {"missing FILE"}},
         {"data pack some.h5", kUsage, {"missing --out"}}});
}

TEST_F(WrongInput, ValuesThatAreNone) {
  check(
      {{"judge --kernel", kUsage, {"--kernel needs a value"}},
       {"judge --kernel --json", kUsage, {"--kernel needs a value, but --json follows"}},
       {"judge --jobs many", kUsage, {"--jobs got \"many\"", "wanted a whole number", "--jobs 2"}},
       {"judge --jobs 0", kUsage, {"--jobs got 0, wanted 1 to 256"}},
       {"judge --jobs 99999999999999999999", kUsage, {"beyond what a number can hold"}},
       {"data show some.h5 --samples 9999999", kUsage, {"--samples got 9999999, wanted 1 to 1000000"}},
       {"serve --drain-seconds fast", kUsage, {"wanted a number", "--drain-seconds 60"}},
       {"serve --drain-seconds nan", kUsage, {"--drain-seconds got nan"}},
       {"judge --json=maybe", kUsage, {"wanted true or false"}},
       {"judge --reward keven", kUsage, {"did you mean kevin?"}},
       {"judge --language rust", kUsage, {"wanted one of: ascendc, dsl"}},
       {"serve --port 99999", kUsage, {"--port got 99999, wanted 0 to 65535"}},
       {"dsl lower kernel.cpp --bind x", kUsage, {"not NAME=NUMBER"}},
       {"data build --part 3/2 --units u", kUsage, {"--part got \"3/2\"", "I/N"}},
       {"node --run bad --device tpu", kUsage, {"there is no device \"tpu\"", "npu"}},
       {"submit sft --time forever --dry-run", kUsage, {"--time got \"forever\"", "HOURS:MINUTES"}},
       {"submit sft --memory lots --dry-run", kUsage, {"--memory got \"lots\"", "64G"}},
       {"submit sft --gpus a:b --dry-run", kUsage, {"--gpus got \"a:b\"", "TYPE:COUNT"}},
       {"judge --module module.py --kernel kernel.cpp --shape batch", kUsage, {"--shape got \"batch\"", "NAME=SIZE"}}});
}

TEST_F(WrongInput, OptionsThatContradictEachOther) {
  check({{"judge --data some.h5 --task tasks/relu", kUsage, {"got neither", "--kernel FILE or --project DIR"}},
         {"judge --data some.h5 --task tasks/relu --kernel kernel.cpp --project folder", kUsage, {"got both"}},
         {"judge --data some.h5 --batch kernel.cpp --kernel kernel.cpp",
          kUsage,
          {"--batch and --kernel cannot be used together"}},
         {"judge --module module.py --task x --kernel kernel.cpp",
          kUsage,
          {"--task and --module cannot be used together"}},
         {"data build --part 1/2", kUsage, {"a folder of units"}},
         {"data export some.h5 --form huggingface", kUsage, {"expected a folder, got -"}},
         {"serve --listen 0.0.0.0", kUsage, {"lets other hosts send requests", "--tokens"}},
         {"serve --new-token me", kUsage, {"--new-token needs the file"}},
         {"runs --yes", kUsage, {"--yes needs --thin or --remove"}},
         {"report bad --refresh 5", kUsage, {"--refresh needs --live"}}});
}

TEST_F(WrongInput, FilesThatAreAbsentOrSomethingElse) {
  check({{"judge --data none.h5", kUsage, {"no such data set", "none.h5"}},
         {"judge --data some.h5 --task tasks/relu --kernel none.cpp", kUsage, {"cannot read", "none.cpp"}},
         {"judge --data some.h5 --task tasks/relu --kernel folder", kUsage, {"expected a file, found a folder"}},
         {"judge --data some.h5 --task tasks/relu --project none", kUsage, {"no such folder"}},
         {"judge --data some.h5 --batch empty", kUsage, {"expected a batch, found an empty file"}},
         {"judge --module folder --kernel kernel.cpp", kUsage, {"expected a Python file, found a folder"}},
         {"judge --module nothing.py --kernel kernel.cpp", kUsage, {"neither a class nor a function"}},
         {"solve none.py", kUsage, {"there is no such file"}},
         {"solve nothing.py", kUsage, {"neither a class nor a function"}},
         {"solve module.py --model smo", kUsage, {"no model \"smo\"", "did you mean smol?"}},
         {"solve module.py --model ftp://host", kUsage, {"is not the address of a server"}},
         {"tasks add module.py --data kernel.cpp", kUsage, {"that is not HDF5"}},
         {"data info pointer.h5", kUsage, {"a Git LFS pointer", "git lfs pull"}},
         {"data import none.json", kUsage, {"no such file"}},
         {"data import folder", kUsage, {"expected a JSON file, found a folder"}},
         {"data import empty", kUsage, {"expected a JSON file, found an empty one"}},
         {"data import some.h5 --out y.h5", kUsage, {"it is an HDF5 file", "kgtrain data info"}},
         {"data import kernel.cpp --out y.h5", kUsage, {"it contains no sample", "instruction"}},
         {"data import numbers.json --out y.h5", kUsage, {"of type number", "it contains no sample"}},
         {"data meaning some.h5 --probes kernel.cpp", kUsage, {"no probe", "kernel.cpp:1"}},
         {"data audit some.h5 --against none", kUsage, {"no such file"}},
         {"dsl lower empty", kUsage, {"expected a program in the DSL, found an empty file"}},
         {"dsl lower kernel.cpp", 1, {"line 1", "kernel.cpp", "docs/reference/dsl.md"}},
         {"tasks import npukernelbench none --out x.h5", kUsage, {"no such folder"}},
         {"tasks import bench folder --out x.h5", kUsage, {"is not a benchmark"}},
         {"eval --answers none.jsonl --data some.h5", kUsage, {"no such file or folder"}},
         {"eval --answers broken.json --data some.h5", kUsage, {"not an object", "broken.json:1"}},
         {"eval --answers broken.json --data some.h5 --against none", kUsage, {"no such file of results"}},
         {"serve --data some.h5 --tokens none.toml", kUsage, {"cannot read the tokens"}},
         {"status bad", kUsage, {"is not JSON", "status.json"}},
         {"submit scale bad --nodes 2", kUsage, {"was not submitted"}}});
}

TEST_F(WrongInput, NamesThatNothingHas) {
  check({{"judge --data some.h5 --task tasks/rely --kernel kernel.cpp",
          kUsage,
          {"no task \"tasks/rely\"", "tasks/relu?"}},
         {"tasks show nothing --data some.h5", kUsage, {"no task \"nothing\"", "kgtrain tasks list"}},
         {"tasks list --data some.h5 --family rely", kUsage, {"did you mean relu?"}},
         {"data show some.h5 --kind colonel", kUsage, {"no sample of the kind \"colonel\"", "kernel"}},
         {"data export some.h5 --split test", kUsage, {"its samples are of: train"}},
         {"judge --data some.h5 --rollout rl-1:2:3", kUsage, {"no rollout", "RUN:WORK:SAMPLE"}},
         {"status bed", kUsage, {"there is no run \"bed\"", "did you mean bad?"}},
         {"runs --remove nothing", kUsage, {"there is no run \"nothing\"", "runs there are: bad"}},
         {"eval --data some.h5 --show base", kUsage, {"no evaluation \"base\""}}});
}

TEST_F(WrongInput, ConfigurationThatCannotBeRead) {
  check({{"judge --config folder", kUsage, {"expected a TOML file, found a folder"}},
         {"judge --config none.toml", kUsage, {"there is no such file"}},
         {"judge --config broken.toml", kUsage, {"not a TOML file", "broken.toml:1"}},
         {"judge --config type.toml", kUsage, {"--jobs got \"many\"", "type.toml:1"}},
         {"judge --config typo.toml", kUsage, {"unknown key \"jbos\"", "did you mean \"jobs\"?"}},
         {"judge --config latin.toml", kUsage, {"utf-8"}}});
}

TEST_F(WrongInput, PlacesThatCannotBeWritten) {
  check({{"judge --data some.h5 --task tasks/relu --kernel kernel.cpp --report none/x.html",
          kUsage,
          {"--report", "none"}},
         {"judge --data some.h5 --task tasks/relu --kernel kernel.cpp --report folder", kUsage, {"names a folder"}},
         {"eval --answers broken.json --data some.h5 --html none/x.html", kUsage, {"--html", "none"}},
         {"report bad --out kernel.cpp/x.html", kUsage, {"is to be written into this folder, but it is a file"}},
         {"data export some.h5 --out folder", kUsage, {"--out names a folder"}},
         {"data export some.h5 --out /dev/full", kEnvironment, {"cannot write", "/dev/full"}},
         {"data export some.h5 --form huggingface --out kernel.cpp",
          kUsage,
          {"expected a folder to write, found a file"}},
         {"data build --samples 1 --out kernel.cpp", kUsage, {"that is not HDF5"}},
         {"data build --samples 1 --out kernel.cpp/x.h5", kUsage, {"refused the operation", "kernel.cpp"}},
         {"data build --samples 1 --out folder", kUsage, {"expected a data set, found a folder"}},
         {"data pack some.h5 --out some.h5", kUsage, {"already exists"}}});
  EXPECT_FALSE(fs::exists(path("kernel.cpp.d"))) << "what is refused leaves nothing";
  EXPECT_FALSE(fs::exists(path("folder.d")));
}

TEST_F(WrongInput, APortThatIsInUse) {
  const kg::testing::LocalPort taken;
  const std::string words = "serve --data some.h5 --port " + std::to_string(taken.number());
  check({{words.c_str(), kEnvironment, {"cannot listen", "choose another --port"}}});
}

// These load LibTorch, half a second each.
TEST_F(WrongInput, ModelsAndRunsOfTheLearner) {
  check({{"sft --data some.h5 --model smoll", kUsage, {"no model \"smoll\"", "did you mean smol?"}},
         {"sft --data some.h5 --model half", kUsage, {"config.json without tokenizer.json"}},
         {"generate --prompt x --model page.gguf", kUsage, {"an HTML page", "page.gguf"}},
         {"generate --prompt x --model pointer.gguf", kUsage, {"a Git LFS pointer", "git lfs pull"}},
         {"generate --prompt x --model cut.gguf", kUsage, {"ends too early", "cut.gguf"}},
         {"generate --prompt x --task y --model smol", kUsage, {"either --prompt or --task"}},
         {"sft --steps 3 --tokens 100 --data some.h5", kUsage, {"--steps and --tokens"}},
         {"sft --resume --out none --data some.h5", kUsage, {"no run \"none\""}},
         {"rl --grammar dsl --language ascendc --data some.h5", kUsage, {"--grammar dsl", "--language dsl"}},
         {"rl --grammar task --language ascendc --data some.h5", kUsage, {"--grammar task", "--language dsl"}},
         {"rl --deterministic --staleness 2 --data some.h5", kUsage, {"--deterministic needs --staleness 0, got 2"}},
         {"rl --sync-every 4 --staleness 2 --data some.h5",
          kUsage,
          {"--sync-every 4 --staleness 2", "--staleness 3 or more"}},
         {"rl --bind nonsense --data some.h5", kUsage, {"--bind got \"nonsense\"", "tcp://ADDRESS:PORT"}},
         {"rl --bind tcp://127.0.0.1:5555 --data some.h5", kUsage, {"CURVE keys", "kgtrain-worker keys"}},
         {"eval --data some.h5 --part 5/3", kUsage, {"--part got \"5/3\""}},
         {"eval --data some.h5 --merge none", kUsage, {"no such folder of parts"}},
         {"eval --data some.h5 --table", kUsage, {"has no evaluation"}},
         {"export --out kernel.cpp", kUsage, {"a file or folder of that name already exists"}},
         {"export --out x --bits 2", kUsage, {"--difference-to"}}});
}

TEST_F(WrongInput, AHomeThatCannotBeWrittenIsALineOfDoctor) {
  const Ran ran = kg::testing::run_kgtrain("doctor", "KGTRAIN_HOME='" + path("kernel.cpp") + "'");
  EXPECT_EQ(ran.status, kEnvironment) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("missing  disk"));
  EXPECT_THAT(ran.output, HasSubstr("KGTRAIN_HOME"));
  EXPECT_THAT(ran.output, HasSubstr("judge version"));  // the table goes on to its end
}

}  // namespace
}  // namespace kg::cli
