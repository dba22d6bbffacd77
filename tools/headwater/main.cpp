// The command line's entry: parse, run, exit code.
#include "tools/headwater/run.hpp"

#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace {

using namespace headwater;

// A closed standard descriptor would be given to the next file that opens, and an answer would be written into it. The
// wrong direction keeps it closed to those who use it.
void reserve_standard_descriptors()
{
    for (int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(each, F_GETFD) == -1) (void)::open("/dev/null", each == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

cli::exit_code main_of(int count, char** words)
{
    cli::output results(STDOUT_FILENO, "stdout");
    cli::output messages(STDERR_FILENO, "stderr");
    auto const parsed = cli::parse_arguments(count, words);
    if (auto const* const wanted = std::get_if<cli::arguments>(&parsed)) return cli::run(*wanted, results, messages);
    if (auto const* const help = std::get_if<cli::help_text>(&parsed)) {
        return cli::finish(results.write(help->text), help->json, results, messages);
    }
    auto const& wrong = std::get<cli::usage_error>(parsed);
    (void)messages.write(wrong.json ? cli::usage_json(wrong.message) : cli::usage_line(wrong.message));
    (void)messages.flush();
    return cli::exit_code::usage;
}

// What takes no memory at all, for when there is none.
void say_out_of_memory(int count, char** words)
{
    constexpr std::string_view line = "headwater: out_of_memory: Cannot allocate memory\n";
    constexpr std::string_view object = R"({"error":{"code":"out_of_memory","message":"Cannot allocate memory"}})"
                                        "\n";
    auto const text = cli::asks_for_json(count, words) ? object : line;
    (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

int main(int count, char** words)
{
    reserve_standard_descriptors();
    // A write to nobody, or beyond a file's limit, is an error of that write, not this process's death.
    for (int each : {SIGPIPE, SIGXFSZ}) std::signal(each, SIG_IGN);
    try {
        return static_cast<int>(main_of(count, words));
    } catch (...) {
        say_out_of_memory(count, words);
        return static_cast<int>(cli::exit_code::failure);
    }
}
