// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/executor/figures.h"

#include <algorithm>
#include <cstdio>

namespace {

constexpr int kNameWidth = 56;

} // namespace

double percentile(std::vector<double> values, double share)
{
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

void Figures::add(const std::string &name, double value, const std::string &unit,
    std::optional<double> limit, const std::string &remark)
{
    std::printf("%-*s %9.2f %-7s", kNameWidth, name.c_str(), value, unit.c_str());
    if (limit) {
        const bool holds = value <= *limit;
        m_missed += holds ? 0 : 1;
        std::printf(" limit %8.2f  %-6s", *limit, holds ? "ok" : "MISSED");
    } else {
        std::printf(" %22s", "");
    }
    std::printf(" %s\n", remark.c_str());
}

void Figures::require(const std::string &name, bool holds, const std::string &remark)
{
    m_missed += holds ? 0 : 1;
    std::printf("%-*s %9s %-7s %14s  %-6s %s\n", kNameWidth, name.c_str(), holds ? "yes" : "no", "",
        "", holds ? "ok" : "MISSED", remark.c_str());
}

void Figures::broken(const std::string &name, const std::string &why)
{
    ++m_missed;
    std::printf("%-*s not measured: %s\n", kNameWidth, name.c_str(), why.c_str());
}
