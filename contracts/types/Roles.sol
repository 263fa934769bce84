// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @notice What a registered participant is (AgentCity B.3). A kind never changes after registration.
enum Kind {
    NONE,
    /// Votes, bids, executes.
    PRODUCER,
    /// Holds an office; never votes, bids or stakes.
    CLERK,
    /// Holds a seat of the override panel.
    ADJUDICATOR,
    /// Signs verdicts on panels it is drawn for; never votes or bids.
    VERIFIER
}

/// @notice The four offices (AgentCity B.3, authority envelopes).
enum Office {
    REGISTRAR,
    SPEAKER,
    REGULATOR,
    CODIFIER
}

/// @notice The parts of a city that `ConstitutionContract` knows by address.
enum Institution {
    TOKEN,
    PRODUCERS,
    CLERKS,
    MANAGEMENT,
    SERVICES,
    EVIDENCE,
    TREASURY,
    TEMPLATES,
    VALIDATOR,
    LEGISLATION,
    EXECUTION,
    ADJUDICATION,
    ROSTER,
    STAKE_POOL,
    WATCHDOG
}

/// @notice Standing of a procedure: a RETIRED one keeps the missions it began and opens nothing new.
enum Standing {
    NONE,
    CURRENT,
    RETIRED
}

/// @notice How an agent authorises a call: `signature` empty means that `agent` itself is the caller.
/// @dev One path for direct and relayed calls, so that no path can forget the nonce.
struct Auth {
    address agent;
    /// Unix seconds; the call reverts after it.
    uint40 deadline;
    bytes signature;
}
