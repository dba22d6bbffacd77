// The public face of open_stream; the only additions are a clock of its own and the dropped identities.
#include <headwater/reader.hpp>

#include "src/log/dropped.hpp"

namespace headwater {

class reader::impl {
public:
    impl(object_store& store, std::string branch, std::unique_ptr<clock> own)
        : own_clock(std::move(own)), stream(store, std::move(branch), *own_clock)
    {
    }
    impl(object_store& store, std::string branch, clock& time) : stream(store, std::move(branch), time) {}
    impl(object_store& store, stream_id life, clock& time) : stream(store, std::move(life), time, ended_lives::readable)
    {
    }

    std::unique_ptr<clock> own_clock;
    open_stream stream;
    checkpoint_writer sets;
};

reader::reader(object_store& store, std::string_view branch)
    : impl_(std::make_unique<impl>(store, std::string(branch), make_system_clock()))
{
}

reader::reader(object_store& store, std::string_view branch, clock& time)
    : impl_(std::make_unique<impl>(store, std::string(branch), time))
{
}

reader::reader(std::unique_ptr<impl> parts) : impl_(std::move(parts)) {}
reader::reader(reader&&) noexcept = default;
reader& reader::operator=(reader&&) noexcept = default;
reader::~reader() = default;

task<snapshot> reader::current() { return impl_->stream.current(); }
task<snapshot> reader::at(sequence seq) { return impl_->stream.at(seq); }
task<snapshot> reader::at(commit_id id) { return impl_->stream.at(std::move(id)); }
task<snapshot> reader::at(time_ms time) { return impl_->stream.at(time); }
task<record> reader::record_at(sequence seq) { return impl_->stream.record_at(seq); }
task<record> reader::record_at(commit_id id) { return impl_->stream.record_at(std::move(id)); }
task<std::vector<record>> reader::history(sequence newest, std::size_t count)
{
    return impl_->stream.history(newest, count);
}
task<std::vector<tombstone>> reader::tombstones(snapshot when)
{
    return read_dropped(impl_->stream, impl_->sets, std::move(when));
}
std::optional<reader> reader::of_ancestor(snapshot const& when) const
{
    auto& own = impl_->stream;
    if (when.stream() == own.known().stream) return std::nullopt;
    return reader(std::make_unique<impl>(own.store(), when.stream(), own.time()));
}
std::optional<sequence> reader::floor() const noexcept
{
    if (!impl_->stream.is_open()) return std::nullopt;
    return impl_->stream.known().metadata.floor;
}

}  // namespace headwater
