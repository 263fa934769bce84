// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Seat} from "../libraries/Seat.sol";
import {EvidenceClass} from "../types/Evidence.sol";

/// @title Who may say what class evidence has, who may judge it, who may attest live code (decisions 17, 20, 22, 31).
/// @notice Powers. The governor registers and revokes. A Regulator moves weights, slowly and between two bounds. No one raises the class of
/// its own evidence, or the weight of its own house.
interface IEvidenceRegistry {
    event IssuerRegistered(address indexed issuer, address indexed principal, uint8 classes);
    event VerifierRegistered(address indexed verifier, address indexed principal, uint16 weight);
    event RunnerRegistered(address indexed runner, address indexed principal);
    event MonitorRegistered(address indexed monitor, address indexed principal);
    event VerifierRetired(address indexed verifier);
    event VerifierStayed(address indexed verifier, uint40 until);
    event Revoked(address indexed account);
    /// @notice A suspension by this monitor lapsed; the second within 30 days takes its office.
    event LapseCounted(address indexed monitor, uint40 at, bool dismissed);
    /// @notice From this block on panels are drawn among these verifiers, in this order.
    event RosterWritten(uint32 indexed epoch, address page, uint256 seats);
    event PrincipalSuspended(address indexed principal, bool suspended);
    /// @notice What verifiers' passports say at this time: the hash of all of them, and whose weight moved.
    event PassportsPosted(
        bytes32 indexed passports,
        address indexed regulator,
        address[] verifiers,
        uint16[] weights,
        uint16[] before
    );
    event SeedPinned(uint256 indexed number, bytes32 hash);

    error NotGovernor(address caller);
    error NotProducers(address caller);
    error NotMission(address caller);
    error ZeroAddress();
    error InvalidClasses(uint8 classes);
    error NotAVerifier(address account);
    error NotRegistered(address account);
    error ZeroWeight(address verifier);
    error NotRegulator(address caller);
    error LengthMismatch(uint256 verifiers, uint256 weights);
    /// @notice Outside 100–133, further than three from what it is, or the same.
    error WeightOutOfBounds(address verifier, uint16 current, uint16 wanted);
    /// @notice A weight moves once a day.
    error AlreadyMoved(address verifier, uint256 day);
    error OwnHouse(address verifier);
    error TooManyVerifiers(uint256 max);
    error AlreadyRegistered(address account);
    error RosterCurrent(uint32 epoch);
    /// @notice One principal attests or judges, not both.
    error IssuesAndVerifies(address principal);
    /// @notice A principal neither verifies nor issues evidence about what a Speaker of its own may have drafted.
    error SpeaksAndJudges(address principal);
    /// @notice The block is in the future, or its hash is no longer available.
    error SeedUnknown(uint256 number);
    error PanelUnavailable(uint8 size, uint256 unconflicted);

    /// @notice Lets an account issue evidence; `classes` is a bitmap over `EvidenceClass`, its principal of no Speaker's house. Caller: governor.
    /// Only a contract proves (`IProofVerifier`); below PROOF a contract is asked as `IQuoteVerifier`, a key signs.
    function registerIssuer(address issuer, address principal, uint8 classes) external;
    /// @notice Makes a verifier drawable; it must be eligible with kind VERIFIER in ProducerContract, and its principal there
    /// is its principal here, of no Speaker's house. Caller: governor. At most 256 at a time. It gets the next number, which is never given again.
    function registerVerifier(address verifier, uint16 weight) external;
    /// @notice Lets an account attest live code hashes. Caller: governor.
    function registerRunner(address runner, address principal) external;
    /// @notice Lets an account report anomalies. Caller: governor.
    function registerMonitor(address monitor, address principal) external;
    /// @notice Ends every evidence role of an account. Caller: governor.
    function revoke(address account) external;
    /// @notice No human confirmed a suspension by this monitor; after the second within 30 days it monitors no more. Caller: a genuine
    /// mission.
    /// @param at When the suspension's time was over.
    function countLapse(address monitor, uint40 at) external;
    /// @notice Takes the weight of a verifier that leaves, is banned, or has less at stake than two absences cost. It keeps its place
    /// until the roster is rewritten. Caller: ProducerContract.
    function retire(address verifier) external;
    /// @notice Takes the weight of a verifier that adjudicators froze, until then. Caller: ProducerContract.
    function stay(address verifier, uint40 until) external;
    /// @notice Suspends or restores every role of a principal's accounts, those it gets later included: what they sign or report is
    /// refused, and its verifiers are not drawn. Caller: governor.
    function suspend(address principal, bool suspended) external;
    /// @notice Posts the hash of verifiers' passports and moves weights after them (decision 82): each within 100–133, by at most three, once a
    /// day (UTC). A weight below 100, as a verifier seated by petition begins with, only rises. Panels that were drawn before keep their
    /// weights. Caller: Regulator, within its envelope, and of another principal than the verifiers that it names. Without verifiers: the
    /// hash alone.
    function postPassports(bytes32 passports, address[] calldata verifiers, uint16[] calldata weights) external;
    /// @notice Rewrites the roster without those who retired since it was written, or once the last stay is over. Caller: anyone, if there is
    /// such a change: each edition is one more that the clearings of panels drawn before look through.
    function reseat() external;
    /// @notice Keeps the hash of a block whose panels are still to be heard, for all missions and for good. Caller: anyone, while the chain
    /// remembers it: 256 blocks, 8,191 where it has EIP-2935. Again: nothing.
    function pinSeed(uint256 number) external;

    /// @notice Hash of a block, as far as the chain remembers it or somebody pinned it; else zero.
    function seedOf(uint256 number) external view returns (bytes32 hash);
    /// @notice Classes that an issuer may give, bit per `EvidenceClass`, and its principal.
    function issuerOf(address issuer) external view returns (uint8 classes, address principal);
    function mayIssue(address issuer, EvidenceClass evidenceClass) external view returns (bool);
    /// @notice Principal behind an issuer, verifier, runner or monitor; zero if none.
    function principalOf(address account) external view returns (address);
    /// @notice Whether a principal issues evidence, or has a seat among the verifiers, retired or not.
    function judges(address principal) external view returns (bool);
    function weightOf(address verifier) external view returns (uint16);
    /// @notice Weights and numbers of registered verifiers; zero for any other account, and for the retired and the suspended.
    function verifiersOf(
        address[] calldata accounts
    ) external view returns (uint16[] memory weights, uint16[] memory serials);
    /// @notice The verifier that was registered under a number, whether it still is or not; zero if none.
    function verifierAt(uint16 serial) external view returns (address);
    /// @notice Number of a principal: that of the first verifier that was ever registered for it, whatever became of that one; zero if it
    /// never had any.
    function houseOf(address principal) external view returns (uint16);
    function isRunner(address account) external view returns (bool);
    function isMonitor(address account) external view returns (bool);
    function isSuspended(address principal) external view returns (bool);
    function verifierCount() external view returns (uint256);

    /// @notice The panel of the calling mission's node: `drawPanel` with the seed of block `drawnAt`. Reverts with `SeedUnknown` if no one
    /// remembers that block's hash.
    function panelOf(
        uint8 node,
        uint8 attempt,
        uint8 size,
        address[] calldata excluded,
        uint256 drawnAt
    ) external view returns (Seat[] memory panel);

    /// @notice `size` distinct seats drawn with `seed` from the roster that was in force when block `drawnAt` ended, none of whose
    /// principals is in `excluded`. No principal sits twice while another is left, nor a third time while another sits once.
    /// Nothing that happens later changes who is drawn, only weights.
    /// Draws 0, 1, 2 … of `PanelDraw` pick among all seats and skip the refused; after 32 draws per seat the next draws pick among
    /// those who remain. Reverts with `PanelUnavailable` if too few do.
    function drawPanel(
        bytes32 seed,
        uint8 size,
        address[] calldata excluded,
        uint256 drawnAt
    ) external view returns (Seat[] memory panel);
}
