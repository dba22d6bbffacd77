// The grammar of the command line, spelled with CLI11.
#include "tools/headwater/arguments.hpp"

#include "tools/headwater/answers.hpp"
#include "tools/headwater/rfc3339.hpp"

#include <headwater/feed.hpp>
#include <headwater/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>

namespace headwater::cli {

namespace {

constexpr char const* footer =
    "A graph is file:///folder or a plain path, s3://bucket/prefix, az://container/prefix, or memory:\n"
    "Exit codes: 0 done, 1 failure, 2 usage, 3 not found, 4 conflict or failed precondition, 5 outcome unknown,\n"
    "6 corrupt. Errors are one line on stderr; with --json {\"error\":{\"code\":S,\"message\":S,…}}.";

class grammar {
public:
    explicit grammar(arguments& out) : out_(out)
    {
        app_.require_subcommand(1);
        app_.footer(footer);
        app_.set_version_flag("--version", "headwater " HEADWATER_VERSION_STRING);
        add_init();
        add_demo();
        add_commit();
        add_snapshot();
        add_diff();
        add_heads();
        add_resolve();
        add_changes();
        add_branch();
        add_cleanup();
        add_verify();
        add_repair();
        add_presign();
        add_probe();
        add_conform();
        add_bench();
        add_serve();
        add_version();
    }

    CLI::App& app() noexcept { return app_; }

private:
    // A verb that works on one branch; its own options go to a value of type T, which becomes the command.
    template <class T>
    CLI::App* add_verb(CLI::App& parent, std::string name, std::string help, T*& value)
    {
        auto* const verb = add_graph_verb(parent, std::move(name), std::move(help), value);
        verb->add_option("--branch", out_.common.branch, "The branch to work on")->capture_default_str();
        return verb;
    }

    // The same for one that works on the whole graph, or names its branches itself.
    template <class T>
    CLI::App* add_graph_verb(CLI::App& parent, std::string name, std::string help, T*& value)
    {
        return add_verb_at("graph", parent, std::move(name), std::move(help), value);
    }

    // The same for one whose first word is the URL of a graph, or of a store.
    template <class T>
    CLI::App* add_verb_at(std::string const& place, CLI::App& parent, std::string name, std::string help, T*& value)
    {
        auto* const verb = parent.add_subcommand(std::move(name), std::move(help));
        auto& common = out_.common;
        verb->add_option(place, common.graph, "The " + place + "'s URL")->required();
        add_switch(*verb, "--json", common.json, "Answer with one JSON document, or JSON lines where it streams");
        add_switch(*verb, "--cost", common.cost, "Say what the command asked of the store");
        add_switch(*verb, "--quiet", common.quiet, "Results and errors only: no progress, summary or warning");
        explain_answer(*verb);
        auto kept = std::make_shared<T>();
        value = kept.get();
        verb->callback([this, kept] { out_.wanted = *kept; });
        return verb;
    }

    static void explain_answer(CLI::App& verb)
    {
        auto const* const group = verb.get_parent();
        auto const typed = group->get_parent() ? group->get_name() + ' ' + verb.get_name() : verb.get_name();
        verb.footer(answer_help(typed) + '\n' + group->get_footer());
    }

    // There or not: `--confirm=false` would be an odd way to say no.
    static CLI::Option* add_switch(CLI::App& verb, std::string const& name, bool& value, std::string help)
    {
        return verb.add_flag(name, value, std::move(help))->disable_flag_override();
    }

    // Text that may be given; `type` is what the help calls it.
    static CLI::Option* add_text(CLI::App& verb, std::string const& name, std::optional<std::string>& value,
                                 std::string const& type, std::string help)
    {
        auto const keep = [&value](std::string const& text) { value = text; };
        return verb.add_option_function<std::string>(name, keep, std::move(help))->type_name(type);
    }

    // Results of their own go to a file: stdout has the answer.
    static void add_output_file(CLI::App& verb, std::string const& name, std::optional<std::string>& value,
                                std::string help)
    {
        auto const is_file = [](std::string const& path) {
            if (path == "-") return std::string("stdout has the answer; name a file (./- is one)");
            return std::string(path.empty() ? "name a file" : "");
        };
        add_text(verb, name, value, "FILE", std::move(help))->check(is_file);
    }

    // CLI11 itself would read -1 as the greatest number and 010 as eight.
    static std::uint64_t read_number(std::string const& name, std::string const& text, std::uint64_t least,
                                     std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
    {
        std::uint64_t value = 0;
        auto const* const last = text.data() + text.size();
        auto const [end, wrong] = std::from_chars(text.data(), last, value);
        if (wrong == std::errc() && end == last && value >= least && value <= most) return value;
        throw CLI::ValidationError(name,
                                   "must be a number from " + std::to_string(least) + " to " + std::to_string(most));
    }

    static void add_number(CLI::App& verb, std::string name, std::uint64_t& value, std::string help,
                           std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
    {
        auto const read = [name, &value, least, most](std::string const& text) {
            value = read_number(name, text, least, most);
        };
        verb.add_option_function<std::string>(name, read, std::move(help))
            ->type_name("N")
            ->default_str(std::to_string(value));
    }

    void add_init()
    {
        init_arguments* own = nullptr;
        auto* const verb = add_graph_verb(app_, "init", "Make an empty graph", own);
        add_number(*verb, "--checkpoint-interval", own->checkpoint_interval, "Records from one checkpoint to the next");
        add_number(*verb, "--carry-limit", own->carry_limit, "The most bytes that a record's carry may have");
    }

    void add_demo()
    {
        demo_arguments* own = nullptr;
        auto* const verb = add_verb(app_, "demo", "Make a graph with a believable history on one of its branches", own);
        add_number(*verb, "--tables", own->tables, "The most tables that live at any time", 1, max_demo_tables);
        add_number(*verb, "--commits", own->commits, "How many commits to make", 1, max_demo_commits);
        add_number(*verb, "--seed", own->seed, "The same seed makes the same history");
    }

    void add_commit()
    {
        auto* const commit = app_.add_subcommand("commit", "Make commits, or look at them");
        commit->require_subcommand(1);

        create_arguments* created = nullptr;
        auto* verb = add_verb(*commit, "create", "Publish one commit", created);
        verb->add_option("--file", created->file, "The intent as a JSON object; - is stdin")->required();
        add_text(*verb, "--expect", created->expect, "COMMIT_ID",
                 "Refuse unless this commit id is the newest; empty: unless there is none");
        add_text(*verb, "--schema-content", created->schema_content, "FILE",
                 "The content of the intent's schema, archived before the commit");

        import_arguments* imported = nullptr;
        verb = add_verb(*commit, "import", "Publish one commit for each line, in order", imported);
        verb->add_option("--file", imported->file, "Intents as JSON lines; - is stdin")->required();

        list_arguments* listed = nullptr;
        verb = add_verb(*commit, "list", "List commits, the newest first", listed);
        add_number(*verb, "--limit", listed->limit, "The most commits to list; 0: all");

        show_arguments* shown = nullptr;
        verb = add_verb(*commit, "show", "Show one commit's record", shown);
        verb->add_option("commit", shown->commit, "A seq, a commit id or a time")->required();
    }

    void add_snapshot()
    {
        snapshot_arguments* own = nullptr;
        auto* const verb = add_verb(app_, "snapshot", "Rebuild a branch's state, now or at a past commit or time", own);
        add_at(*verb, own->at);
        add_switch(*verb, "--explain", own->explain, "Say which requests were made, and when each was answered");
    }

    static void add_at(CLI::App& verb, std::optional<std::string>& value)
    {
        add_text(verb, "--at", value, "SEQ|COMMIT_ID|TIME",
                 "A seq, a commit id, or a time (RFC 3339): the last commit that is not later");
    }

    void add_diff()
    {
        diff_arguments* own = nullptr;
        auto* const verb = add_verb(app_, "diff", "Say what changed from one state to another, table by table", own);
        verb->add_option("from", own->from, "A seq, a commit id or a time")->required();
        verb->add_option("to", own->to, "A seq, a commit id or a time")->required();
    }

    void add_heads()
    {
        auto* const heads = app_.add_subcommand("heads", "Look at the table heads, dropped ones too");
        heads->require_subcommand(1);

        heads_list_arguments* listed = nullptr;
        auto* verb = add_verb(*heads, "list", "List every identity, live or dropped", listed);
        add_at(*verb, listed->at);

        heads_show_arguments* shown = nullptr;
        verb = add_verb(*heads, "show", "Show one table's head and its dropped lives", shown);
        verb->add_option("table", shown->table, "A table_key, a stable_table_id, or stable_table_id/incarnation")
            ->required();
        add_at(*verb, shown->at);

        heads_verify_arguments* verified = nullptr;
        verb = add_verb(*heads, "verify", "Fold the records again and compare heads and tombstones", verified);
        add_at(*verb, verified->at);
        add_text(*verb, "--expect", verified->expect, "FILE", "Heads that must be live, as a JSON array; - is stdin");
    }

    void add_resolve()
    {
        resolve_arguments* own = nullptr;
        auto* const verb =
            add_graph_verb(app_, "resolve", "Say what became of a commit whose outcome was unknown", own);
        verb->add_option("token", own->token, "The resume token that the error named")->required();
    }

    void add_changes()
    {
        auto* const changes = app_.add_subcommand("changes", "Follow what commits change, table by table");
        changes->require_subcommand(1);
        changes_arguments* own = nullptr;
        auto* const verb = add_verb(*changes, "poll", "Say what each commit after a point changed", own);
        auto* const start = verb->add_option("--start", own->start, "now, beginning or after:COMMIT_ID");
        start->capture_default_str();
        add_text(*verb, "--cursor", own->cursor, "CURSOR", "Go on where an answer ended")->excludes(start);
        add_number(*verb, "--limit", own->limit, "The most commits of one page", 1, feed_options::max_page_commits);
        verb->add_option_function<std::vector<std::string>>(
                "--table",
                [own](std::vector<std::string> const& texts) {
                    for (auto const& text : texts) own->tables.push_back(read_number("--table", text, 1));
                },
                "Only this stable_table_id; may be given several times")
            ->type_name("N")
            ->allow_extra_args(false);
        add_switch(*verb, "--follow", own->follow, "Go on until stopped");
    }

    void add_branch()
    {
        auto* const branch = app_.add_subcommand("branch", "Make, list and delete branches");
        branch->require_subcommand(1);

        branch_create_arguments* created = nullptr;
        auto* verb = add_graph_verb(*branch, "create", "Make a branch of another one's state", created);
        verb->add_option("name", created->name, "The new branch")->required();
        verb->add_option("--from", created->from, "The branch to start from")->capture_default_str();
        add_at(*verb, created->at);

        branch_list_arguments* listed = nullptr;
        add_graph_verb(*branch, "list", "List the branches there are", listed);

        branch_delete_arguments* removed = nullptr;
        verb = add_graph_verb(*branch, "delete", "End a branch; its name can be used again", removed);
        verb->add_option("name", removed->name, "The branch")->required();
        add_switch(*verb, "--force", removed->force, "Also if its newest state cannot be read");

        branch_merge_arguments* merged = nullptr;
        verb = add_graph_verb(*branch, "merge", "Bring what a branch has changed into another", merged);
        verb->add_option("source", merged->source, "The branch that has changed")->required();
        verb->add_option("--into", merged->into, "The branch to change")->capture_default_str();
        add_switch(*verb, "--delete-branch", merged->delete_branch, "Then delete the source, unless it has gone on");
    }

    void add_cleanup()
    {
        cleanup_arguments* own = nullptr;
        auto* const verb =
            add_graph_verb(app_, "cleanup", "Prune old history; without --confirm, say what would go", own);
        verb->add_option_function<std::string>(
                "--keep", [own](std::string const& text) { own->keep = read_number("--keep", text, 1); },
                "Keep each stream's newest N records, at least 1")
            ->type_name("N");
        verb->add_option_function<std::string>(
                "--older-than", [own](std::string const& text) { own->older_than = read_age("--older-than", text); },
                "Keep records that are younger: 90s, 30m, 12h, 7d, 4w")
            ->type_name("AGE");
        auto* const confirm = add_switch(*verb, "--confirm", own->confirm, "Do it");
        auto* const quiesced =
            add_switch(*verb, "--quiesced", own->quiesced, "Nothing else has the graph open: delete at once");
        add_switch(*verb, "--wait", own->wait, "Wait until the raised floor has stood for an hour, then delete")
            ->needs(confirm)
            ->excludes(quiesced);
        add_output_file(*verb, "--roots", own->roots,
                        "Write every table version that retained history names, as JSON lines");
    }

    static std::chrono::milliseconds read_age(std::string const& name, std::string const& text)
    {
        auto const age = parse_duration(text);
        if (age) return *age;
        throw CLI::ValidationError(name, "must be a whole number with its unit, s, m, h, d or w: 90s, 7d");
    }

    void add_verify()
    {
        verify_arguments* own = nullptr;
        auto* const verb =
            add_graph_verb(app_, "verify", "Fold the whole graph again and say what is wrong with it", own);
        add_switch(*verb, "--deep", own->deep, "Compare checkpoints byte for byte, and read the archived schemas");
    }

    void add_repair()
    {
        repair_arguments* own = nullptr;
        auto* const verb = add_graph_verb(
            app_, "repair", "Write hints, checkpoints and tombstone sets again; without --confirm, say which", own);
        add_switch(*verb, "--confirm", own->confirm, "Do it");
    }

    void add_presign()
    {
        presign_arguments* own = nullptr;
        auto* const verb = add_graph_verb(app_, "presign", "Print a URL that reads one object for whoever has it", own);
        verb->add_option("key", own->key, "The object's key below the graph")->required();
        verb->add_option_function<std::string>(
                "--expires", [own](std::string const& text) { own->expires = read_age("--expires", text); },
                "How long it is good: 90s, 30m, 12h, 7d at most")
            ->type_name("AGE")
            ->default_str("1h");
    }

    void add_probe()
    {
        probe_arguments* own = nullptr;
        add_verb_at("store", app_, "probe", "Say in seconds what a store proves: may graphs be kept there?", own);
    }

    void add_conform()
    {
        conform_arguments* own = nullptr;
        auto* const verb = add_verb_at("store", app_, "conform",
                                       "Try every promise that a store must keep, and say which it breaks", own);
        add_output_file(*verb, "--junit", own->junit, "Write the results as JUnit XML too");
        add_number(*verb, "--race-rounds", own->race_rounds, "How often each race is run", 1, max_race_rounds);
    }

    void add_bench()
    {
        bench_arguments* own = nullptr;
        auto* const verb =
            add_verb_at("store", app_, "bench", "Time a store's requests, below a prefix of its own", own);
        add_number(*verb, "--rounds", own->rounds, "How often each request is made", 1, max_bench_rounds);
        add_number(*verb, "--size", own->size, "Bytes of each object", 0, max_bench_size);
    }

    // A name that is kept for what does not exist yet, and does not pretend.
    void add_serve()
    {
        auto* const verb = app_.add_subcommand("serve", "Not available in this version")->group("");
        verb->allow_extras();
        verb->callback(
            [] { throw CLI::ParseError("serve is not available in this version", CLI::ExitCodes::InvalidError); });
    }

    void add_version()
    {
        auto* const verb = app_.add_subcommand("version", "Print the version");
        add_switch(*verb, "--json", out_.common.json, "Answer with one JSON document");
        explain_answer(*verb);
        verb->callback([this] { out_.wanted = version_arguments(); });
    }

    arguments& out_;
    CLI::App app_{"Keeps a graph's commit history as immutable records in an object store.", "headwater"};
};

std::string one_line(std::string text)
{
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::ranges::replace(text, '\n', ' ');
    return text;
}

// The verb that was named: its help is the one that helps.
CLI::App const& named_verb(CLI::App const& from)
{
    auto const named = from.get_subcommands();
    return named.empty() ? from : named_verb(*named.front());
}

// As one would type it.
std::string spelled(CLI::App const& verb)
{
    return verb.get_parent() ? spelled(*verb.get_parent()) + ' ' + verb.get_name() : verb.get_name();
}

// What is wrong, told of the words that stand there rather than of the grammar.
std::string told(CLI::ParseError const& wrong, CLI::App const& app, CLI::App const& verb)
{
    constexpr std::string_view override = " was given a disallowed flag override";
    auto const rest = verb.remaining();
    if (dynamic_cast<CLI::RequiredError const*>(&wrong) && verb.get_require_subcommand_min() > 0) {
        return rest.empty() ? "a verb is missing" : "there is no verb " + rest.front();
    }
    auto text = one_line(wrong.what());
    if (text.ends_with(override)) return "--" + text.substr(0, text.size() - override.size()) + " takes no value";
    if (!dynamic_cast<CLI::ExtrasError const*>(&wrong)) return text;
    std::string surplus;
    for (auto const& word : app.remaining(true)) surplus += ' ' + word;
    return "not understood:" + surplus + (rest.empty() ? " (options follow the verb)" : "");
}

// `--name=` is an empty value, which the parser would look for in the next word. Last word first, as it wants them.
std::vector<std::string> apart(int count, char const* const* words)
{
    std::vector<std::string> out;
    for (int i = count - 1; i > 0; --i) {
        std::string_view word(words[i]);
        bool const empty = word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1;
        if (empty) out.emplace_back();
        if (empty) word.remove_suffix(1);
        out.emplace_back(word);
    }
    return out;
}

}  // namespace

std::variant<arguments, help_text, usage_error> parse_arguments(int count, char const* const* words)
{
    arguments out;
    grammar rules(out);
    bool const json = asks_for_json(count, words);
    try {
        rules.app().parse(apart(count, words));
        return out;
    } catch (CLI::CallForHelp const&) {
        return help_text{rules.app().help(), json};
    } catch (CLI::CallForVersion const& version) {
        return help_text{std::string(version.what()) + '\n', json};
    } catch (CLI::ParseError const& wrong) {
        auto const& verb = named_verb(rules.app());
        return usage_error{told(wrong, rules.app(), verb) + "; see " + spelled(verb) + " --help", json};
    }
}

bool asks_for_json(int count, char const* const* words) noexcept
{
    return std::any_of(words, words + count, [](std::string_view word) { return word == "--json"; });
}

result<point> parse_point(std::string_view text)
{
    auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty())
        return error(errc::invalid_argument, "a commit is named by its seq or its commit id, not by nothing");
    constexpr std::size_t ulid_length = 26;
    if (std::ranges::all_of(text, is_digit) && text.size() != ulid_length) {
        std::uint64_t seq = 0;
        auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), seq);
        if (wrong == std::errc()) return point(sequence(seq));
        return error(errc::invalid_argument, "no seq is as great as " + std::string(text));
    }
    if (looks_dated(text)) {
        auto const time = parse_rfc3339(text);
        if (!time) return time.error();
        return point(*time);
    }
    return point(commit_id(text));
}

result<std::chrono::milliseconds> parse_duration(std::string_view text)
{
    struct unit {
        std::string_view name;
        std::uint64_t length;  // Milliseconds.
    };
    // A number alone is none: seconds for one, days for another, and history is deleted by it.
    constexpr unit units[] = {
        {"s", 1000}, {"m", 60'000}, {"h", 3600'000}, {"d", 24 * 3600'000}, {"w", 7 * 24 * 3600'000}};
    constexpr std::uint64_t greatest = 1ull << 43;  // FORMAT's greatest created_at.
    std::uint64_t value = 0;
    auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    auto const rest = text.substr(static_cast<std::size_t>(end - text.data()));
    auto const named = std::ranges::find(units, rest, &unit::name);
    if (wrong != std::errc() || named == std::end(units) || value > greatest / named->length) {
        return error(errc::invalid_argument, "no length of time: " + std::string(text) + "; 90s, 30m, 12h, 7d, 4w are");
    }
    return std::chrono::milliseconds(value * named->length);
}

}  // namespace headwater::cli
