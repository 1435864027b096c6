// A learner that only submits: works 1 to N, again from the first after each start, as a resumed run does. Ends when
// all are complete.
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "rollout/coordinator.h"

int main(int argc, char** argv) {
  kg::start_logging("test-learner");
  return kg::run_program([&] {
    std::string data_path, folder;
    int works = 50, samples = 4;
    kg::Options options("test-learner", "Submits works.");
    options.add("data", data_path, "data set").required().add("folder", folder, "run folder").required();
    options.add("works", works, "number of works").add("samples", samples, "of a work");
    if (!options.parse(argc, argv)) return 0;
    const auto data = kg::dataset::Dataset::open(data_path, kg::dataset::OpenMode::kAppendOrCreate);
    kg::proto::Task task;
    task.set_id("builtin/test/relu");
    kg::proto::JournalRecord record;
    *record.mutable_task() = task;
    data->append({record});
    const auto coordinator = kg::rollout::Coordinator::start(
        {.run = "run-1", .run_folder = folder, .heartbeat_seconds = 0.2, .silence_seconds = 2}, *data);
    int next = 1;
    for (int finished = 0; finished < works;) {
      for (; next <= works && next <= finished + 8; ++next) {
        kg::rollout::Work work{.work_id = static_cast<std::uint64_t>(next),
                               .task = task,
                               .messages = {},
                               .samples = static_cast<std::uint32_t>(samples),
                               .sampling = {},
                               .purpose = "train"};
        work.messages.emplace_back().set_content("work " + std::to_string(next));
        coordinator->submit(work);
      }
      while (coordinator->wait(0.05)) ++finished;
    }
    coordinator->finish();
    return 0;
  });
}
