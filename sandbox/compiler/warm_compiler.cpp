#include "sandbox/compiler/warm_compiler.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Host.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <utility>

namespace kg::sandbox {
namespace {

constexpr const char* kName = "kernel.cpp";

// The front end's arguments that the driver would make from this command line.
std::shared_ptr<clang::CompilerInvocation> invocation_of(const std::vector<std::string>& command,
                                                         clang::DiagnosticsEngine& diagnostics) {
  clang::driver::Driver driver(command.front(), llvm::sys::getDefaultTargetTriple(), diagnostics);
  driver.setCheckInputsExist(false);
  std::vector<const char*> words;
  for (const std::string& word : command) words.push_back(word.c_str());
  for (const char* word : {"-c", kName, "-o", "kernel.o"}) words.push_back(word);
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(words));
  if (!compilation || compilation->getJobs().size() != 1) return nullptr;
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  const auto& arguments = compilation->getJobs().begin()->getArguments();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, diagnostics)) return nullptr;
  invocation->getFrontendOpts().DisableFree = true;  // the process ends
  invocation->getCodeGenOpts().DisableFree = true;
  return invocation;
}

}  // namespace

// One compilation that waits before its main file.
struct WarmCompiler::State {
  clang::CompilerInstance clang;
  clang::EmitObjAction action;
  llvm::SmallString<0> object;
  std::unique_ptr<llvm::MemoryBuffer> no_source = llvm::MemoryBuffer::getMemBuffer("", kName);

  // Loads the header, up to where the main file is read.
  bool begin(const std::vector<std::string>& command) {
    clang::DiagnosticsEngine early(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                   new clang::IgnoringDiagConsumer);
    auto invocation = invocation_of(command, early);
    if (invocation == nullptr) return false;
    clang.setInvocation(std::move(invocation));
    clang.createDiagnostics();
    if (!clang.hasDiagnostics() || !clang.createTarget()) return false;
    clang.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
    const clang::FrontendInputFile input(no_source->getMemBufferRef(), clang::InputKind(clang::Language::CXX));
    return action.BeginSourceFile(clang, input) && !clang.getDiagnostics().hasErrorOccurred();
  }

  // From the main file to the object.
  bool finish(std::unique_ptr<llvm::MemoryBuffer> source) {
    clang::SourceManager& sources = clang.getSourceManager();
    // As a file, since passes report places by its name.
    const clang::FileEntryRef file =
        clang.getFileManager().getVirtualFileRef(kName, static_cast<off_t>(source->getBufferSize()), 0);
    sources.overrideFileContents(file, std::move(source));
    sources.setMainFileID(sources.createFileID(file, clang::SourceLocation(), clang::SrcMgr::C_User));
    llvm::Error error = action.Execute();
    const bool failed = static_cast<bool>(error);
    llvm::consumeError(std::move(error));
    action.EndSourceFile();
    return !failed && !clang.getDiagnostics().hasErrorOccurred();
  }
};

WarmCompiler::WarmCompiler() = default;
WarmCompiler::~WarmCompiler() = default;

bool WarmCompiler::warm(const std::vector<std::string>& command) {
  if (state_ != nullptr && command == command_) return true;
  if (command.empty()) return false;
  LLVMInitializeRISCVTargetInfo();
  LLVMInitializeRISCVTarget();
  LLVMInitializeRISCVTargetMC();
  LLVMInitializeRISCVAsmPrinter();
  LLVMInitializeRISCVAsmParser();
  // A first kernel pays for tables and code that are set up on use.
  {
    auto* first = new State;  // never freed, as DisableFree asks
    constexpr const char* kFirst =
        "#include \"kernel_operator.h\"\n"
        "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) {\n"
        "  AscendC::TPipe pipe; AscendC::TQue<AscendC::QuePosition::VECIN, 1> queue; AscendC::GlobalTensor<float> g;\n"
        "  g.SetGlobalBuffer((__gm__ float*)x); pipe.InitBuffer(queue, 1, 256);\n"
        "  auto t = queue.AllocTensor<float>(); AscendC::DataCopy(t, g, 64); AscendC::Add(t, t, t, 64);\n"
        "  queue.EnQue(t); t = queue.DeQue<float>(); queue.FreeTensor(t);\n}\n";
    if (!first->begin(command)) return false;
    first->finish(llvm::MemoryBuffer::getMemBuffer(kFirst, kName));  // whether it compiles does not matter
  }
  state_ = std::make_unique<State>();
  command_ = command;
  if (state_->begin(command)) return true;
  state_.reset();
  return false;
}

int WarmCompiler::compile(const std::string& source, const std::string& object) {
  auto text = llvm::MemoryBuffer::getFile(source);
  if (!text) {
    llvm::errs() << "cannot read " << source << ": " << text.getError().message() << "\n";
    return 1;
  }
  State* state = state_.release();  // never freed, as DisableFree asks
  if (!state->finish(std::move(*text))) return 1;
  std::error_code error;
  llvm::raw_fd_ostream file(object, error, llvm::sys::fs::OF_None);
  if (!error) {
    file << state->object;
    file.close();
    error = file.error();
  }
  if (error) {
    llvm::errs() << "error: unable to write " << object << ": " << error.message() << "\n";
    file.clear_error();
    return 1;
  }
  return 0;
}

}  // namespace kg::sandbox
