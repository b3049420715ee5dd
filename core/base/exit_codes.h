// The exit codes of tunehub-server and tunehub-agent.
#pragma once

namespace tunehub {

inline constexpr int kGood = 0;
inline constexpr int kFinding = 1;  // the command ended, with findings
inline constexpr int kFailed = 2;   // not done
// The start failed, but a later start may succeed (EX_TEMPFAIL of sysexits.h).
inline constexpr int kPassing = 75;

// --help and the man pages of both programs print this text.
inline constexpr char kExitCodes[] =
    "Exit codes:\n"
    "  0   success\n"
    "  1   findings, such as conflicts, rejected rows, faults, an agent that is down\n"
    "  2   failure: the command did not do its work, or its arguments are wrong\n"
    "  75  temporary failure: the agent's daemon cannot run now, because the disk is full or the\n"
    "      GPU is lost";

}  // namespace tunehub
