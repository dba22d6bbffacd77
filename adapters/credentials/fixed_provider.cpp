// Credentials that never change.
#include <headwater/adapters/credentials.hpp>

#include <utility>

namespace headwater {

namespace {

template <class T>
class fixed final : public credentials_provider<T> {
public:
    explicit fixed(T always) : always_(std::make_shared<T const>(std::move(always))) {}

    task<std::shared_ptr<T const>> current() override { co_return always_; }
    bool refused(std::shared_ptr<T const> const&) override { return false; }

private:
    std::shared_ptr<T const> always_;
};

}  // namespace

std::shared_ptr<aws_provider> fixed_provider(aws_credentials credentials)
{
    return std::make_shared<fixed<aws_credentials>>(std::move(credentials));
}

std::shared_ptr<azure_provider> fixed_provider(azure_credentials credentials)
{
    return std::make_shared<fixed<azure_credentials>>(std::move(credentials));
}

}  // namespace headwater
