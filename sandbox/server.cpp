#include "sandbox/server.h"

#include <signal.h>

#include <cctype>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "proto/frame.h"
#include "sandbox/cell/limits.h"
#include "sandbox/programs/direct_launch.h"
#include "sandbox/programs/dsl_kernel.h"
#include "sandbox/programs/launch.h"
#include "sandbox/programs/module.h"
#include "sandbox/programs/project.h"
#include "sandbox/programs/source.h"

namespace kg::sandbox {
namespace {

void require_usable(const proto::ExecutionRequest& request) {
  if (request.language() != proto::ASCENDC)
    throw Error("an operator project must be written in Ascend C", "execution request", "give the program as a source");
  const std::string& name = request.entry_point();
  if (request.project_size() > 0 || request.has_module()) return;  // whose operator names it
  bool valid = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
  for (const unsigned char c : name) valid = valid && (std::isalnum(c) != 0 || c == '_');
  if (!valid)
    throw Error("'" + name + "' cannot be the name of a kernel", "execution request", "name the __global__ function");
}

// Output of compilers and kernels may not be text, and may be cut off within a character.
void make_text(proto::ExecutionResult& result) {
  const auto text = [](std::string* bytes) {
    if (!is_utf8(*bytes)) *bytes = readable_utf8(*bytes);
  };
  text(result.mutable_compiler_output());
  text(result.mutable_sandbox_error());
  for (proto::CaseResult& one : *result.mutable_cases()) {
    text(one.mutable_output());
    text(one.mutable_result_form());
    if (one.has_host()) text(one.mutable_host()->mutable_log());
    for (proto::Fault& fault : *one.mutable_faults()) text(fault.mutable_message());
  }
}

}  // namespace

void Server::open_shop() {
  if (!shop_) shop_ = std::make_unique<Workshop>(find_isolation(options_.allow_less_isolation), options_.cache_folder);
}

void Server::prepare() {
  try {
    open_shop();
  } catch (const std::exception&) {
    // The first request finds no shop either, and says why.
  }
}

void Server::run(Request& request) {
  require_usable(request.asked);
  open_shop();
  if (request.asked.cases_size() > 0) shop_->kernels.start();  // made while the compiler works
  if (request.asked.has_module())
    run_module(*shop_, request, options_.python);
  else if (request.asked.project_size() > 0)
    run_project(*shop_, request);
  else if (launches_directly(request.asked.source()))
    run_launch(*shop_, request);
  else
    run_source(*shop_, request);
}

proto::ExecutionResult Server::execute(const proto::ExecutionRequest& request, int owner) {
  if (request.language() == proto::DSL && request.project_size() == 0)
    return execute_dsl(request, [&](const proto::ExecutionRequest& lowered) { return execute(lowered, owner); });
  const double begun = monotonic_seconds();
  proto::ExecutionResult result;
  try {
    Request running{.asked = request,
                    .allowance = {.limits = with_default_limits(request.limits()), .owner = owner},
                    .result = result};
    run(running);
  } catch (const Error& error) {
    result.Clear();
    result.set_sandbox_error(error.full_message());
    shop_.reset();  // whatever is broken, the next request looks at the host afresh
  } catch (const std::exception& error) {
    result.Clear();
    result.set_sandbox_error(error.what());
  }
  result.set_wall_ms((monotonic_seconds() - begun) * 1000);
  return result;
}

int serve(int socket, ServerOptions options) {
  keep_only(socket);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);  // from the caller's terminal: the caller decides, and we end when it does
  Server server(std::move(options));
  server.prepare();
  proto::ExecutionRequest request;
  while (proto::read_framed(socket, request)) {
    proto::ExecutionResult result = server.execute(request, socket);
    make_text(result);
    proto::write_framed(socket, result);
  }
  return 0;
}

}  // namespace kg::sandbox
