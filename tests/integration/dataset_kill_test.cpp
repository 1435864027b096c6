// Kills a writer at random moments, thirty and more times, and looks at what is left: the file must open with plain
// HDF5 at each of them, and after the next open every acknowledged record must be there exactly once.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/error.h"
#include "base/random.h"
#include "dataset/store/dataset.h"
#include "dataset/store/folder.h"
#include "dataset/store/hdf5.h"
#include "tests/dataset_examples.h"

extern char** environ;

namespace kg::dataset {
namespace {

constexpr const char* kWriterVariable = "KG_TEST_DATASET_WRITER";

// Numbers that a writer wrote down after their append returned: acknowledged.
class WriterProcess {
 public:
  explicit WriterProcess(const fs::path& path) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    const std::string program = fs::read_symlink("/proc/self/exe").string();
    std::string filter = "--gtest_filter=DatasetKill.WriterProcessItself";
    char* arguments[] = {const_cast<char*>(program.c_str()), filter.data(), nullptr};
    ::setenv(kWriterVariable, (path.string() + "\n" + std::to_string(ends[1])).c_str(), 1);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("spawn");
    ::unsetenv(kWriterVariable);
    ::close(ends[1]);
    from_ = ends[0];
  }
  ~WriterProcess() {
    if (pid_ > 0) kill();
    ::close(from_);
  }

  // Collects acknowledgements until `milliseconds` have passed since the first one.
  void run_for(int milliseconds) {
    read_one();
    for (;;) {
      pollfd waiting{from_, POLLIN, 0};
      const auto begin = std::chrono::steady_clock::now();
      if (milliseconds <= 0 || ::poll(&waiting, 1, milliseconds) <= 0 || !read_one()) return;
      milliseconds -= static_cast<int>(
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count());
    }
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    while (read_one()) {  // what was acknowledged before the kill
    }
  }
  int acknowledged() const { return acknowledged_; }

 private:
  bool read_one() {
    int number = 0;
    if (::read(from_, &number, sizeof number) != static_cast<ssize_t>(sizeof number)) return false;
    acknowledged_ = number;
    return true;
  }
  pid_t pid_ = -1;
  int from_ = -1;
  int acknowledged_ = -1;
};

proto::Rollout numbered(int number) {
  proto::Rollout rollout = example_rollout(number / 4, number % 4);
  rollout.set_kernel(std::string(static_cast<std::size_t>(number * 71 % 3000), 'k') + std::to_string(number));
  return rollout;
}

// Not a test of its own: the process that gets killed.
TEST(DatasetKill, WriterProcessItself) {
  const char* order = std::getenv(kWriterVariable);
  if (order == nullptr) return;
  const std::string text = order;
  const fs::path path = text.substr(0, text.find('\n'));
  const int to = std::stoi(text.substr(text.find('\n') + 1));
  const auto data = Dataset::open(path, OpenMode::kAppendOrCreate);
  int next = static_cast<int>(data->counts().rollouts);
  Philox random(static_cast<std::uint64_t>(::getpid()), 0);
  for (;;) {
    std::vector<proto::JournalRecord> batch;
    for (std::uint64_t i = 0, n = 1 + random.next_below(4); i < n; ++i) batch.push_back(record(numbered(next++)));
    ASSERT_EQ(data->append(batch), batch.size());
    const int last = next - 1;
    ASSERT_EQ(::write(to, &last, sizeof last), static_cast<ssize_t>(sizeof last));
    if (random.next_below(3) == 0) data->fold();
  }
}

// What h5py does: open, follow the links, read a column of each part. Returns the number of rows. HDF5 does not open a
// file twice in one process under different properties: no Dataset may be open here.
std::uint64_t read_with_plain_hdf5(const fs::path& path) {
  hdf5::Guard guard;
  const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open", path.string());
  const hdf5::Handle group = hdf5::open_group(file.id(), "rollouts", path.string());
  H5G_info_t info{};
  hdf5::check(H5Gget_info(group.id(), &info), "count links", path.string());
  std::uint64_t rows = 0;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char name[64];
    H5Lget_name_by_idx(group.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    const hdf5::Handle part = hdf5::open_group(group.id(), name, path.string());
    const hdf5::Handle column(H5Dopen2(part.id(), "reward", H5P_DEFAULT), H5Dclose, "open reward", name);
    const hdf5::Handle space(H5Dget_space(column.id()), H5Sclose, "extent", name);
    hsize_t size = 0;
    H5Sget_simple_extent_dims(space.id(), &size, nullptr);
    std::vector<double> rewards(size);
    hdf5::check(H5Dread(column.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rewards.data()), "read", name);
    for (hsize_t row = 0; row < size; ++row, ++rows) {
      const auto number = static_cast<int>(rows);
      EXPECT_EQ(rewards[row], numbered(number).verdict().reward()) << number;
    }
  }
  return rows;
}

void expect_exactly_once(const Dataset& data, int acknowledged) {
  int number = 0;
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    EXPECT_TRUE(same(rollout, numbered(number))) << number << " " << rollout.work_id() << " " << rollout.sample();
    ++number;
    return !testing::Test::HasFailure();
  });
  EXPECT_GT(number, acknowledged);
}

TEST(DatasetKill, EveryAcknowledgedRecordIsThereExactlyOnceAfterKillsAtRandomMoments) {
  TemporaryFolder folder;
  const fs::path path = folder.path() / "ascend_cot.h5";
  Philox random(20240607, 1);
  int kills_in_fold = 0, acknowledged = -1;
  for (int round = 0; round < 36; ++round) {
    WriterProcess writer(path);
    writer.run_for(static_cast<int>(random.next_below(120)));
    writer.kill();
    acknowledged = std::max(acknowledged, writer.acknowledged());
    ASSERT_GE(acknowledged, 0);
    const FolderListing left = list_folder(folder_of(path));
    kills_in_fold += !left.leftovers.empty() || !left.folded_journals.empty();
    ASSERT_LE(read_with_plain_hdf5(path), static_cast<std::uint64_t>(acknowledged) + 5) << "round " << round;
    expect_exactly_once(*Dataset::open(path, OpenMode::kRead), acknowledged);  // nothing repaired yet
    if (round % 2 == 0) expect_exactly_once(*Dataset::open(path, OpenMode::kAppend), acknowledged);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  expect_exactly_once(*Dataset::open(path, OpenMode::kAppend), acknowledged);
  EXPECT_GT(read_with_plain_hdf5(path), static_cast<std::uint64_t>(acknowledged));
  RecordProperty("kills_in_fold", kills_in_fold);
  std::printf("%d rollouts acknowledged, %d of 36 kills hit a fold\n", acknowledged + 1, kills_in_fold);
}

TEST(DatasetKill, ReadersSeeAPrefixWhileAWriterAppendsFoldsAndMerges) {
  TemporaryFolder folder;
  const fs::path path = folder.path() / "ascend_cot.h5";
  WriterProcess writer(path);
  writer.run_for(1);
  std::uint64_t before = 0;
  for (int round = 0; round < 12; ++round) {
    writer.run_for(20);
    const int acknowledged = writer.acknowledged();
    auto reader = Dataset::open(path, OpenMode::kRead);
    expect_exactly_once(*reader, acknowledged);
    EXPECT_GE(reader->counts().rollouts, before);
    before = reader->counts().rollouts;
    reader.reset();
    read_with_plain_hdf5(path);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_THROW(Dataset::open(path, OpenMode::kAppend), Error);  // the writer still holds it
}

TEST(DatasetFullDisk, AFoldThatDoesNotFitIsAnErrorAndLosesNothing) {
  TemporaryFolder folder;
  const fs::path path = folder.path() / "ascend_cot.h5";
  auto data = Dataset::open(path, OpenMode::kCreate);
  std::vector<proto::JournalRecord> batch;
  for (int i = 0; i < 20; ++i) batch.push_back(record(numbered(i)));
  data->append(batch);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{8192, before.rlim_max};  // a file size limit stands for a full disk
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(data->fold(), Error);
  EXPECT_THROW(data->append({record(numbered(20))}), Error);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(data->counts().rollouts, 20u);
  EXPECT_EQ(data->append({record(numbered(20))}), 1u);
  data->fold();
  expect_exactly_once(*data, 20);
  expect_exactly_once(*Dataset::open(path, OpenMode::kRead), 20);
  data.reset();
  EXPECT_EQ(read_with_plain_hdf5(path), 21u);
}

}  // namespace
}  // namespace kg::dataset
