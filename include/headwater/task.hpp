// task<T>: the awaitable every operation returns, and the guard for its parameters.
//
// g++ 12.2 destroys a temporary aggregate twice when it lives in a full expression with co_await, silently. So no
// coroutine takes an aggregate that owns something by value or by const reference: give it a constructor.
#pragma once

#include <headwater/error.hpp>

#include <boost/asio/awaitable.hpp>

#include <coroutine>
#include <type_traits>

namespace headwater {

/// An operation that has not begun: it runs when awaited, on the awaiting coroutine's executor, and answers a value or
/// an error. Cancelling it throws `boost::system::system_error` with `operation_aborted`, as Asio does.
template <class T>
using task = boost::asio::awaitable<result<T>>;

template <class Parameter>
inline constexpr bool safe_coroutine_parameter = [] {
    using value = std::remove_cvref_t<Parameter>;
    constexpr bool binds_temporary =
        !std::is_lvalue_reference_v<Parameter> || std::is_const_v<std::remove_reference_t<Parameter>>;
    return !(binds_temporary && std::is_aggregate_v<value> && !std::is_trivially_destructible_v<value>);
}();

}  // namespace headwater

template <class T, class Executor, class First, class... Rest>
struct std::coroutine_traits<boost::asio::awaitable<headwater::result<T>, Executor>, First, Rest...>
    : std::coroutine_traits<boost::asio::awaitable<headwater::result<T>, Executor>> {
    static_assert((headwater::safe_coroutine_parameter<First> && ... && headwater::safe_coroutine_parameter<Rest>),
                  "a coroutine parameter must not be an aggregate that owns memory: give it a constructor");
};
