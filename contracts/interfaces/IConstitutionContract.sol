// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Param} from "../types/Params.sol";
import {Institution, Standing} from "../types/Roles.sol";

/// @title The root of trust of a city: mandate, parameter table, and who is who.
/// @notice Powers. The governor (the adjudication procedure; until `seal` also the deployer) can change parameters within
/// their ranges, and replace procedures: announced first, in force only after participants who disagree have had time to leave.
/// No one can leave a range, replace the token, the registries or the treasury, or act as governor after `seal` but the
/// adjudication procedure.
interface IConstitutionContract {
    event ParameterSet(Param indexed param, uint256 previous, uint256 value, bytes32 justification);
    event Wired(Institution indexed institution, address at);
    event AmendmentAnnounced(
        Institution indexed institution,
        address replacement,
        uint40 effectiveFrom,
        bytes32 justification
    );
    event AmendmentWithdrawn(Institution indexed institution, address replacement, bytes32 justification);
    event ProcedureReplaced(Institution indexed institution, address indexed former, address indexed replacement);
    event Sealed(address indexed deployer);
    event Pulsed(uint40 at);

    error NotGovernor(address caller);
    error NotDeployer(address caller);
    error AlreadySealed();
    error AlreadyWired(Institution institution, address at);
    error NotWired(Institution institution);
    error NotAContract(Institution institution, address at);
    error NotReplaceable(Institution institution);
    error NothingAnnounced(Institution institution);
    error NotYet(Institution institution, uint40 effectiveFrom);
    /// @notice The unbonding period cannot change while an announced amendment waits.
    error AmendmentWaits(Institution institution);
    error LengthMismatch(uint256 have, uint256 need);
    /// @notice A parameter is greater than the one after it, which it must not be.
    error ParametersDescend(Param which, uint256 value, uint256 next);
    /// @notice Two parameters do not add up to what they must.
    error ParametersDoNotAddUp(Param one, Param other, uint256 sum, uint256 whole);
    /// @notice Stake could leave while it still answers for verdicts, appeals and their delays.
    error UnbondingTooShort(uint256 unbonding, uint256 longest);
    /// @notice A mission does not keep this parameter: only the value in force counts.
    error NotLocked(Param which);
    error ParameterOutOfRange(Param param, uint256 value, uint256 min, uint256 max);

    /// @notice keccak256 of the mandate text and its content-id digest.
    function mandate() external view returns (bytes32 hash, bytes32 cid);

    /// @notice Current value, in the unit of `parameters.md`.
    function param(Param param) external view returns (uint256);

    /// @notice A whole-token parameter in the settlement token's smallest unit.
    function paramInUnits(Param param) external view returns (uint64);

    /// @notice Value of a locked parameter in an edition of the table. Every change of one makes a new edition; a session keeps
    /// the number of the one it opened under (`MissionParams.edition`), so that no later change reaches it or its mission.
    function paramIn(uint32 edition, Param param) external view returns (uint256);

    /// @notice The same of a whole-token parameter, in the settlement token's smallest unit.
    function unitsIn(uint32 edition, Param param) external view returns (uint64);

    /// @notice What a clone would enforce if its session opened now, with the edition of the table; packed by `MissionParamsCodec`.
    function missionParams() external view returns (uint256 packed);

    /// @notice Address of an institution; reverts with `NotWired` before wiring.
    function at(Institution institution) external view returns (address);

    /// @notice Standing of an address as LEGISLATION, EXECUTION or ADJUDICATION; NONE for anything else.
    function standingOf(Institution institution, address procedure) external view returns (Standing);

    /// @notice True for the adjudication procedure, and for the deployer until `seal`.
    function isGovernor(address account) external view returns (bool);

    function isSealed() external view returns (bool);

    /// @notice Names the institutions, each once. Caller: deployer before `seal`.
    function wire(Institution[] calldata institutions, address[] calldata addresses) external;

    /// @notice Ends the deployer's power. Caller: deployer, once every institution is wired to a contract.
    function seal() external;

    /// @notice Announces the replacement of LEGISLATION, EXECUTION or ADJUDICATION by a contract that never held the office. It may
    /// be enacted once the unbonding period and a week are over, so that who hears of it within the week can leave before, with stake
    /// that is not bound; bound stake settles under the rules it was bound by. A later announcement takes the place of an earlier one.
    /// Caller: governor.
    function amend(Institution institution, address replacement, bytes32 justification) external;

    /// @notice Takes back an announcement. Caller: governor.
    function withdrawAmendment(Institution institution, bytes32 justification) external;

    /// @notice Puts an announced replacement in office; the former procedure is RETIRED: it keeps the missions it began and opens
    /// nothing new. Anyone, once its time has come, unless the watchdog has frozen the panel.
    function enact(Institution institution) external;

    /// @notice Says that the chain is heard: no silence before this second is a reason to suspend a mission. Caller: anyone.
    function pulse() external;
    function pulsedAt() external view returns (uint40);

    /// @notice When what is announced now may take effect: whoever wants to leave has left by then.
    function noticeEnd() external view returns (uint40);

    /// @notice What is announced for an institution; zero if nothing is.
    function amendmentOf(Institution institution) external view returns (address replacement, uint40 effectiveFrom);

    /// @notice Sets a parameter within its range, and its counterpart if the two have to add up, and refreshes `missionParams`.
    /// From `seal` on it refuses a value that does not fit the others (`ParamRelations`).
    /// While an amendment or a template waits UNBONDING_PERIOD stays. Caller: governor.
    function setParam(Param param, uint256 value, bytes32 justification) external;
}
