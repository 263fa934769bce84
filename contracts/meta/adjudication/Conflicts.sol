// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IAdjudicatorRoster} from "../../interfaces/IAdjudicatorRoster.sol";
import {IAdjudicatorWatchdog} from "../../interfaces/IAdjudicatorWatchdog.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IServiceContract} from "../../interfaces/IServiceContract.sol";
import {ActionTable} from "../../libraries/ActionTable.sol";
import {Action, OverrideAction} from "../../types/Actions.sol";
import {EvidenceRole} from "../../types/Evidence.sol";
import {EvidenceItem, Opening} from "../../types/Messages.sol";
import {Institution, Office} from "../../types/Roles.sol";

/// @title Who may not sign an action (AgentCity 3.6 iii; decision 27)
/// @notice Asked at execution, by principal: an agent that a sub-agent made, and one that joined after the signature, count.
library Conflicts {
    using ActionTable for Action;

    function isConflicted(
        IConstitutionContract city,
        IAdjudicatorRoster roster,
        address adjudicator,
        OverrideAction calldata order
    ) internal view returns (bool) {
        Action what = order.action;
        if (what == Action.APPROVE_POP && _attested(roster, adjudicator, order.data)) return true;
        if (what.onMission()) return roster.isConflicted(adjudicator, order.mission);
        if (what == Action.RELEASE_WATCHDOG) {
            return IAdjudicatorWatchdog(city.at(Institution.WATCHDOG)).isFlagged(adjudicator);
        }
        if (roster.isInterested(adjudicator, order.target)) return true;
        if (what == Action.CLAIM_INSURANCE) {
            (address mission, ) = abi.decode(order.data, (address, uint64));
            return roster.isConflicted(adjudicator, mission);
        }
        if (what == Action.APPROVE_CODIFICATION || what == Action.RULE_ON_BLOC) {
            ILegislativeProcedure legislation = ILegislativeProcedure(city.at(Institution.LEGISLATION));
            // The session comes first in both.
            uint256 id = abi.decode(order.data, (uint256));
            ILegislativeProcedure.Session memory session = legislation.sessionOf(id);
            // The law of a child moves the money of its parent's tree. Another parent is the sponsor's to name, and decides nothing.
            if (session.child && roster.isConflicted(adjudicator, session.parent)) return true;
            address author = legislation.candidateOf(id, session.winner).principal;
            if (author != address(0) && roster.isInterested(adjudicator, author)) return true;
            return roster.isInterested(adjudicator, session.sponsor);
        }
        if (what == Action.SET_MANDATE) {
            (, , bytes32 service) = abi.decode(order.data, (Office, bytes32, bytes32));
            address owner = IServiceContract(city.at(Institution.SERVICES)).ownerOf(service);
            return roster.isInterested(adjudicator, owner);
        }
        return roster.isInterested(adjudicator, _named(order));
    }

    /// @dev Whether the approval rests on what the adjudicator's own house attested. Behind two words and the hash of what they rest on.
    function _attested(
        IAdjudicatorRoster roster,
        address adjudicator,
        bytes calldata data
    ) private view returns (bool) {
        if (data.length <= 96) return false;
        (, EvidenceItem[] memory items) = abi.decode(data[96:], (Opening[], EvidenceItem[]));
        // At most what the signers hand in.
        for (uint256 i = 0; i < items.length; ++i) if (roster.isInterested(adjudicator, items[i].issuer)) return true;
        return false;
    }

    /// @dev The principal that is to answer for the target from now on.
    function _named(OverrideAction calldata order) private pure returns (address principal) {
        if (order.action == Action.APPOINT_CLERK) (, principal) = abi.decode(order.data, (Office, address));
        else if (order.action == Action.REGISTER_ISSUER) {
            (, principal, ) = abi.decode(order.data, (EvidenceRole, address, uint16));
        } else if (order.action == Action.ADMIT_ADJUDICATOR) principal = abi.decode(order.data, (address));
    }
}
