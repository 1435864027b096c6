#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <cstdlib>

namespace kg {

void start_logging(const std::string& program) {
  auto logger = spdlog::stderr_color_mt(program);
  logger->set_pattern("%H:%M:%S.%e %n %^%l%$ %v");
  const char* level = std::getenv("KGTRAIN_LOG");
  logger->set_level(spdlog::level::from_str(level != nullptr ? level : "info"));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace kg
