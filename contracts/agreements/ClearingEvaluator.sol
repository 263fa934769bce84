// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {EfficientHashLib} from "solady/src/utils/EfficientHashLib.sol";
import {LibBytes} from "solady/src/utils/LibBytes.sol";
import {IAgreementEscrow} from "../interfaces/IAgreementEscrow.sol";
import {IClearingEvaluator, IJobEscrow} from "../interfaces/IClearingEvaluator.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {Admissibility} from "../libraries/Admissibility.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Clearing} from "../libraries/Clearing.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {Exhibits, Issuer} from "../collaboration/Exhibits.sol";
import {PanelDraw} from "../libraries/PanelDraw.sol";
import {Seat} from "../libraries/Seat.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {WeighedVerdict} from "../libraries/WeighedVerdict.sol";
import {Wire} from "../libraries/Wire.sol";
import {ClearingDecision, ClearingResult, EvidenceClass, VerdictResult} from "../types/Evidence.sol";
import {EvidenceItem, Opening} from "../types/Messages.sol";
import {Institution} from "../types/Roles.sol";

/// @notice See `IClearingEvaluator`.
contract ClearingEvaluator is IClearingEvaluator, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;
    using Wire for bytes;

    /// @dev What is handed in, in memory.
    struct Case {
        bytes32 obligation;
        bytes32 work;
        uint32 drawBlock;
        /// Of EIP-712.
        bytes32 domain;
        Opening opening;
        /// Items by class, as far as they are proven.
        uint256[6] graded;
        address[] excluded;
        Seat[] panel;
        uint256 drawn;
        Clearing.Count count;
        /// Verdicts that were taken down.
        uint256 heard;
        /// Bit per question and place.
        uint256 answered;
        /// Those of them that count.
        uint256 counted;
        /// Per passing verdict its score in the bits above its weight.
        uint256[] praise;
    }

    bytes32 private constant _TERMS = keccak256(
        "ClearingTerms(address escrow,uint256 jobId,address client,address provider,address clientPrincipal,"
        "address providerPrincipal,bytes32 agreementHash,uint8 floor,uint8 questions,uint16 minConfidence,"
        "uint16 passScore,uint8 panelSize,bool graduated,uint32 layout,uint40 deliverBy,uint32 hearing,uint40 deadline,"
        "uint96 bond)"
    );
    uint256 private constant _QUESTIONS = 2;
    uint256 private constant _ALL_QUESTIONS = 3;
    /// @dev Where terms lie in a call of any function that takes them: behind the selector, eighteen words.
    uint256 private constant _TERMS_FROM = 4;
    uint256 private constant _TERMS_TO = 4 + 18 * 32;
    /// @dev One order, of node 0, with one opening: how a record begins.
    uint256 private constant _ONE_ORDER = 0x010001;
    uint256 private constant _PLACES = 8;
    /// @dev Words of a job of `AgreementEscrow`.
    uint256 private constant _STATUS = 1;
    uint256 private constant _DUE_AT = 2;
    uint256 private constant _EVALUATOR_TIMEOUT = 5;
    /// @dev A verdict that praises the work: its score above, its weight below.
    uint256 private constant _SCORE = 16;
    uint256 private constant _LARGEST_PANEL = 7;
    uint256 private constant _SHORTEST = 10 minutes;
    uint256 private constant _LONGEST = 30 days;
    /// @dev Between the last hearing's end and the escrow's own.
    uint256 private constant _MARGIN = 1 hours;
    uint8 private constant _MOST_PANELS = 2;

    /// @dev No city replaces its registry of evidence, nor its ledger of producers.
    IEvidenceRegistry private immutable _EVIDENCE;
    IProducerContract private immutable _PRODUCERS;
    IERC20 private immutable _TOKEN;

    mapping(bytes32 key => Hearing hearing) private _hearings;
    /// @inheritdoc IClearingEvaluator
    mapping(address account => uint256 owed) public creditOf;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _EVIDENCE = IEvidenceRegistry(constitution.at(Institution.EVIDENCE));
        _PRODUCERS = IProducerContract(constitution.at(Institution.PRODUCERS));
        _TOKEN = IERC20(constitution.at(Institution.TOKEN));
    }

    /// @inheritdoc IClearingEvaluator
    function register(
        Terms calldata terms,
        bytes calldata clientSignature,
        bytes calldata providerSignature
    ) external returns (bytes32 key) {
        Signatures.requireInTime(terms.deadline);
        bytes32 digest = digestOf(terms);
        Signatures.requireAnyOrCaller(terms.client, digest, clientSignature);
        Signatures.requireAnyOrCaller(terms.provider, digest, providerSignature);
        _requireSound(terms);
        _requireOwn(terms.client, terms.clientPrincipal);
        _requireOwn(terms.provider, terms.providerPrincipal);
        _requireJob(terms);
        key = _keyOf(terms.escrow, terms.jobId);
        if (_hearings[key].digest != 0) revert AlreadyRegistered(key);
        // A job that cannot be judged is refused before anything is paid in. A panel has at most seven seats.
        _EVIDENCE.drawPanel(digest, uint8(_sizeOf(terms, terms.bond != 0)), _excluded(terms), block.number);
        _hearings[key].digest = digest;
        emit Registered(key, terms.escrow, terms.jobId, terms.agreementHash);
    }

    /// @inheritdoc IClearingEvaluator
    function deliver(Terms calldata terms, Opening calldata work) external {
        (bytes32 key, Hearing storage h) = _known(terms);
        if (msg.sender != terms.provider) revert NotAuthorised(msg.sender);
        if (h.panels != 0) revert AlreadyDelivered(key);
        if (h.closed) revert Closed(key);
        if (block.timestamp > terms.deliverBy) revert TooLate(terms.deliverBy);
        if (work.items > Admissibility.ITEMS_PER_SLOT) revert InvalidTerms();
        h.work = Commitments.commitment(terms.provider, work, h.digest);
        emit Delivered(key, work.outputHash, work.envelopeRoot, h.work);
        _seat(key, h, terms.hearing);
    }

    /// @inheritdoc IClearingEvaluator
    function evaluate(Terms calldata terms, bytes calldata record) external nonReentrant {
        bytes32 key = _keyOf(terms.escrow, terms.jobId);
        Hearing storage h = _hearings[key];
        if (h.closed) revert Closed(key);
        if (h.complete) revert AlreadyDecided(key);
        Case memory c = _hear(terms, key, h, record);
        if (block.timestamp > h.closesAt) revert TooLate(h.closesAt);
        _takeDown(key, h, c, terms.questions, _decide(terms, c));
    }

    function _takeDown(
        bytes32 key,
        Hearing storage h,
        Case memory c,
        uint8 questions,
        ClearingDecision memory d
    ) private {
        (Outcome outcome, bool complete) = _outcomeOf(c, questions, d.result);
        if (h.outcome != Outcome.NONE && h.outcome != outcome) (outcome, complete) = (Outcome.CONTRADICTED, false);
        uint16 score = d.score > h.score ? d.score : h.score;
        (h.outcome, h.score) = (outcome, score);
        (h.confidence, h.complete) = (d.confidence, complete);
        // Nothing can be added: the hearing is over.
        if (complete) h.closesAt = uint40(block.timestamp);
        emit Decided(key, h.panels, outcome, d.confidence, score, d.class, d.basis, complete);
    }

    /// @inheritdoc IClearingEvaluator
    function redraw(Terms calldata terms) external {
        (bytes32 key, Hearing storage h) = _known(terms);
        if (h.closed) revert Closed(key);
        if (h.panels == 0) revert NotDelivered(key);
        if (h.panels == _MOST_PANELS || _isDecided(h)) revert AlreadyDecided(key);
        if (block.timestamp <= h.closesAt) revert TooEarly(h.closesAt);
        uint256 last = uint256(h.closesAt) + terms.hearing;
        if (block.timestamp > last) revert TooLate(last);
        (h.outcome, h.score) = (Outcome.NONE, 0);
        _seat(key, h, terms.hearing);
    }

    /// @inheritdoc IClearingEvaluator
    function challenge(Terms calldata terms) external nonReentrant {
        (bytes32 key, Hearing storage h) = _known(terms);
        bool byClient = msg.sender == terms.client;
        if (!byClient && msg.sender != terms.provider) revert NotAuthorised(msg.sender);
        if (h.closed) revert Closed(key);
        if (!_isChallengeable(terms, h)) revert NotChallengeable(key);
        if (!h.complete && block.timestamp <= h.closesAt) revert TooEarly(h.closesAt);
        uint256 last = uint256(h.closesAt) + terms.hearing;
        if (block.timestamp > last) revert TooLate(last);
        (h.standing, h.standingScore) = (h.outcome, h.score);
        (h.outcome, h.score, h.complete) = (Outcome.NONE, 0, false);
        h.challenger = byClient ? Challenger.CLIENT : Challenger.PROVIDER;
        emit Challenged(key, msg.sender, terms.bond);
        _seat(key, h, terms.hearing);
        _TOKEN.safeTransferFrom(msg.sender, address(this), terms.bond);
    }

    /// @inheritdoc IClearingEvaluator
    function finalise(Terms calldata terms, address feeToken) external nonReentrant {
        (bytes32 key, Hearing storage h) = _known(terms);
        if (h.closed) revert Closed(key);
        uint256 due = _dueAt(terms, h);
        if (block.timestamp <= due) revert TooEarly(due);
        uint16 stood = _shareOf(terms, h.standing, h.standingScore);
        // A challenge that leads to no decision changes none.
        if (h.challenger != Challenger.NOBODY && !_isDecided(h)) (h.outcome, h.score) = (h.standing, h.standingScore);
        uint16 share = _shareOf(terms, h.outcome, h.score);
        bytes32 reason = keccak256(abi.encode(h.digest, h.work, h.panels, h.outcome, h.score));
        h.closed = true;
        emit Finalised(key, h.outcome, share, reason);
        if (h.challenger != Challenger.NOBODY) {
            _creditBond(key, terms, h.challenger == Challenger.CLIENT, stood, share);
            // A job that somebody else ended keeps no bond. Neither side of it overflows.
            unchecked {
                if (block.timestamp - _LONGEST > h.closesAt) return;
            }
        }

        uint256 before = feeToken == address(0) ? 0 : IERC20(feeToken).balanceOf(address(this));
        IJobEscrow escrow = IJobEscrow(terms.escrow);
        if (share == 0) escrow.reject(terms.jobId, reason, "");
        else if (terms.graduated) escrow.settle(terms.jobId, share, reason);
        else escrow.complete(terms.jobId, reason, "");
        if (feeToken == address(0)) return;
        uint256 fee = IERC20(feeToken).balanceOf(address(this)) - before;
        if (fee != 0) IERC20(feeToken).safeTransfer(msg.sender, fee);
    }

    /// @inheritdoc IClearingEvaluator
    function withdraw(address account) external nonReentrant {
        uint256 amount = creditOf[account];
        if (amount == 0) revert NothingToPay();
        delete creditOf[account];
        _TOKEN.safeTransfer(account, amount);
    }

    /// @inheritdoc IClearingEvaluator
    function preview(Terms calldata terms, bytes calldata record) external view returns (ClearingDecision memory d) {
        bytes32 key = _keyOf(terms.escrow, terms.jobId);
        d = _decide(terms, _hear(terms, key, _hearings[key], record));
    }

    /// @inheritdoc IClearingEvaluator
    function hearingOf(address escrow, uint256 jobId) external view returns (Hearing memory) {
        return _hearings[_keyOf(escrow, jobId)];
    }

    /// @inheritdoc IClearingEvaluator
    function digestOf(Terms calldata terms) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(_TERMS, terms)));
    }

    // --- Hearing -----------------------------------------------------------------------------------------------------

    function _seat(bytes32 key, Hearing storage h, uint32 hearing) private {
        // Blocks and seconds fit for 34,000 years; at most two panels.
        (h.drawBlock, h.closesAt) = (uint40(block.number), uint40(block.timestamp + hearing));
        ++h.panels;
        emit PanelDrawn(key, h.panels, block.number, h.closesAt);
    }

    function _hear(
        Terms calldata terms,
        bytes32 key,
        Hearing storage h,
        bytes calldata record
    ) private view returns (Case memory c) {
        if (h.panels == 0) {
            _known(terms);
            revert NotDelivered(key);
        }
        // Four billion blocks fit.
        (c.obligation, c.work, c.drawBlock) = (_digest(), h.work, uint32(h.drawBlock));
        c.domain = _domainSeparatorV4();
        c.excluded = _excluded(terms);
        uint256 at = _open(c, terms, record);
        at = _prove(c, record, at);
        _draw(c, key, h, terms);
        _listen(c, terms, record, at);
    }

    function _decide(Terms calldata terms, Case memory c) private pure returns (ClearingDecision memory d) {
        Clearing.conclude(c.count, d, terms.questions, 1, c.drawn, c.panel.length);
        if (d.result == ClearingResult.PASS) d.score = _scoreOf(c.praise, c.drawn);
    }

    /// @dev The work is what the provider committed to under the terms, so that it binds them as well. An item is worth what its
    /// provider signed for, at most SIGN, until its issuer says more.
    function _open(Case memory c, Terms calldata terms, bytes calldata record) private view returns (uint256) {
        if (record.number(0, 3) != _ONE_ORDER) revert MalformedWave(0);
        record.readOpening(3, c.opening);
        bytes32 given = Commitments.commitment(terms.provider, c.opening, c.obligation);
        if (given != c.work) {
            _known(terms);
            revert OtherWork(c.work, given);
        }
        c.graded[uint256(EvidenceClass.SELF)] = Admissibility.itemsOf(1);
        Admissibility.claim(c.graded, 0, c.opening.classes, c.opening.items, terms.floor);
        return 3 + Wire.OPENING;
    }

    function _draw(Case memory c, bytes32 key, Hearing storage h, Terms calldata terms) private view {
        bytes32 hash = blockhash(c.drawBlock);
        if (hash == 0) hash = _EVIDENCE.seedOf(c.drawBlock);
        if (hash == 0) revert IEvidenceRegistry.SeedUnknown(c.drawBlock);
        bytes32 seed = PanelDraw.seed(EfficientHashLib.hash(hash, key), address(this), 0, h.panels);
        Seat[] memory panel = _EVIDENCE.drawPanel(
            seed,
            // `register` has seen that it is at most seven.
            uint8(_sizeOf(terms, h.challenger != Challenger.NOBODY)),
            c.excluded,
            c.drawBlock
        );
        (c.panel, c.drawn) = (panel, PanelDraw.drawn(panel));
        uint256 most = terms.questions == _ALL_QUESTIONS ? _QUESTIONS * panel.length : panel.length;
        (c.count.praise, c.praise) = (new uint256[](most), new uint256[](most));
    }

    /// @dev Each issuer signs the list of its items; what it says of other jobs stands there as a hash.
    function _prove(Case memory c, bytes calldata record, uint256 from) private view returns (uint256 at) {
        uint256 issuers = record.number(from, 1);
        at = from + 1;
        // At most 255 issuers.
        for (uint256 i = 0; i < issuers; ++i) at = _readItems(c, record, at);
    }

    function _readItems(Case memory c, bytes calldata record, uint256 from) private view returns (uint256 at) {
        uint256 head = record.number(from, 23);
        bytes32[] memory hashes = new bytes32[](uint8(head >> 16));
        // Two bytes fit.
        bytes calldata signature = record.cut(from + 23, uint16(head));
        EvidenceItem memory item;
        // Twenty bytes fit.
        item.issuer = address(uint160(head >> 24));
        Issuer memory by = Exhibits.issuer(_EVIDENCE, item.issuer);
        bool here = false;
        // Offsets within a transaction; at most 255 items.
        unchecked {
            at = from + 23 + signature.length;
            for (uint256 i = 0; i < hashes.length; ++i) {
                if (_isElsewhere(record, at)) {
                    (hashes[i], at) = (bytes32(record.number(at + 1, 32)), at + 33);
                    continue;
                }
                at = record.readItem(at, item);
                hashes[i] = TypedData.hashEvidence(c.obligation, item);
                _admit(c, item);
                // A proof speaks for itself, whatever else a list says.
                if (item.class == EvidenceClass.PROOF && hashes.length != 1) {
                    revert ProofRejected(item.slot, item.index);
                }
                if (!Exhibits.mayIssue(by, item)) revert IssuerNotRegistered(item.issuer, item.class);
                here = true;
            }
        }
        if (!here) return at;
        if (Exhibits.isParty(c.excluded, item.issuer, by)) revert IssuerConflict(item.issuer, by.principal);
        if (!_isIssued(c, item, hashes, signature)) revert ProofRejected(item.slot, item.index);
    }

    function _isElsewhere(bytes calldata record, uint256 at) private pure returns (bool elsewhere) {
        uint256 order = record.number(at, 1);
        elsewhere = order == Wire.ELSEWHERE;
        if (!elsewhere && order != 0) revert MalformedWave(at);
    }

    /// @dev It is in the envelope. Its issuer makes it worth what it says, never more than the provider said.
    function _admit(Case memory c, EvidenceItem memory item) private pure {
        bool within = item.slot == 0 && Exhibits.isEnclosed(item, c.obligation, c.opening);
        if (!within) revert ItemNotInEnvelope(item.slot, item.index);
        Admissibility.raise(c.graded, 0, c.opening.classes, item.index, item.class);
    }

    /// @dev A proof is its contract's answer, a quote its adapter's, anything else a key's signature.
    /// @param item one of the list
    function _isIssued(
        Case memory c,
        EvidenceItem memory item,
        bytes32[] memory hashes,
        bytes calldata signature
    ) private view returns (bool) {
        bool proof = item.class == EvidenceClass.PROOF;
        bytes32 digest = MessageHashUtils.toTypedDataHash(c.domain, TypedData.hashEvidences(item.issuer, hashes));
        // Whose key signed needs no look at its code. A key proves nothing, whatever it signs.
        if (!proof && Signatures.isEcdsa(item.issuer, digest, signature)) return true;
        if (Signatures.isKey(item.issuer)) return false;
        return _affirms(item.issuer, Exhibits.questionOf(item, c.obligation, digest, signature));
    }

    function _affirms(address target, bytes memory question) private view returns (bool) {
        (bool ok, bytes32 word, ) = LowLevelCall.staticcallReturn64Bytes(target, question);
        return ok && word == bytes32(uint256(1));
    }

    /// @dev Each verifier signs the list of its verdicts. An empty place is an abstention.
    function _listen(Case memory c, Terms calldata terms, bytes calldata record, uint256 from) private view {
        uint256 verifiers = record.number(from, 1);
        uint256 at = from + 1;
        // At most 255 verifiers.
        for (uint256 i = 0; i < verifiers; ++i) at = _readVerdicts(c, terms, record, at);
        record.requireEnd(at);
    }

    function _readVerdicts(
        Case memory c,
        Terms calldata terms,
        bytes calldata record,
        uint256 from
    ) private view returns (uint256 at) {
        uint256 head = record.number(from, 26);
        // Twenty bytes fit.
        address verifier = address(uint160(head >> 48));
        // Five bytes fit.
        uint40 deadline = uint40(head >> 8);
        Signatures.requireInTime(deadline);
        bytes32[] memory hashes = new bytes32[](uint8(head));
        bytes calldata signature = record.cut(from + 26, Wire.SIGNATURE);
        // Offsets within a transaction; at most 255 verdicts.
        unchecked {
            at = from + 26 + Wire.SIGNATURE;
            for (uint256 i = 0; i < hashes.length; ++i) {
                if (_isElsewhere(record, at)) {
                    (hashes[i], at) = (bytes32(record.number(at + 1, 32)), at + 33);
                    continue;
                }
                WeighedVerdict v = record.verdict(at);
                at += Wire.VERDICT;
                hashes[i] = _note(c, terms, verifier, v);
            }
        }
        bytes32 digest = MessageHashUtils.toTypedDataHash(c.domain, TypedData.hashVerdicts(verifier, hashes, deadline));
        Signatures.requireEcdsa(verifier, digest, signature);
    }

    /// @dev Answers to questions that were not asked are signed but do not count. A member counts if `Clearing` counts its verdict for a side.
    /// @return hash of the verdict
    function _note(
        Case memory c,
        Terms calldata terms,
        address verifier,
        WeighedVerdict v
    ) private pure returns (bytes32 hash) {
        hash = TypedData.hashVerdict(c.obligation, c.work, c.drawBlock, v);
        uint256 place = _placeOf(c.panel, verifier, c.heard);
        uint8 questions = terms.questions;
        uint256 question = v.question();
        if ((questions >> question) & 1 == 0) return hash;
        uint256 answer = _PLACES * question + place;
        if ((c.answered >> answer) & 1 == 1) revert DuplicateVerdict(verifier);
        c.answered |= 1 << answer;
        uint256 number = c.heard++;
        v = v.weighed(c.panel[place].weight(), answer);
        bool survives = Clearing.weigh(c.count, v, c.graded, terms.floor, questions, terms.minConfidence);
        if (!survives || v.confidence() < terms.minConfidence) return hash;
        c.counted |= 1 << answer;
        // The score is for the first question asked.
        bool scored = question == (questions & 1 == 1 ? 0 : 1);
        if (scored && v.result() == VerdictResult.PASS) c.praise[number] = (uint256(v.score()) << _SCORE) | v.weight();
    }

    /// @param guess Where to look first: verdicts usually come in the order of the panel.
    function _placeOf(Seat[] memory panel, address verifier, uint256 guess) private pure returns (uint256) {
        if (guess < panel.length && panel[guess].verifier() == verifier) return guess;
        // At most seven seats.
        for (uint256 i = 0; i < panel.length; ++i) if (panel[i].verifier() == verifier) return i;
        revert NotOnPanel(verifier);
    }

    // --- Decision ----------------------------------------------------------------------------------------------------

    /// @dev More than half of the members count, whatever their weights; what is not decided is not taken down. Nothing can be added once all
    /// members count on all that was asked: whoever hands in might have left one of a member's answers out.
    function _outcomeOf(
        Case memory c,
        uint8 questions,
        ClearingResult result
    ) private pure returns (Outcome outcome, bool complete) {
        // The places of the first question, then of the second.
        (uint256 first, uint256 second) = (c.counted & ((1 << _PLACES) - 1), c.counted >> _PLACES);
        uint256 members = 0;
        for (uint256 places = first | second; places != 0; places &= places - 1) ++members;
        if (result == ClearingResult.PASS) outcome = Outcome.PASS;
        else if (result == ClearingResult.FAIL) outcome = Outcome.FAIL;
        if (outcome == Outcome.NONE || 2 * members <= c.panel.length) revert Undecided(uint8(result));
        complete = members == c.panel.length && (questions != _ALL_QUESTIONS || first == second);
    }

    /// @dev The highest score that members with more than half of the weight give at least, on the first question asked. Verdicts that are
    /// left out can only lower it.
    /// @param praise score above weight; zero for who does not praise
    function _scoreOf(uint256[] memory praise, uint256 drawn) private pure returns (uint16 score) {
        // Weights of sixteen bits each: no sum overflows.
        unchecked {
            for (uint256 i = 0; i < praise.length; ++i) {
                // Sixteen bits of the word.
                uint16 candidate = uint16(praise[i] >> _SCORE);
                if (candidate > score && 2 * _weightFrom(praise, candidate) > drawn) score = candidate;
            }
        }
    }

    function _weightFrom(uint256[] memory praise, uint256 score) private pure returns (uint256 weight) {
        unchecked {
            for (uint256 i = 0; i < praise.length; ++i) {
                uint256 one = praise[i];
                // The low bits are the weight.
                if (one >> _SCORE >= score) weight += uint16(one);
            }
        }
    }

    function _shareOf(Terms calldata terms, Outcome outcome, uint16 score) private pure returns (uint16) {
        if (outcome != Outcome.PASS || score < terms.passScore) return 0;
        return terms.graduated ? score : uint16(BasisPoints.WHOLE);
    }

    /// @dev Back to whoever challenged if the share moved its way, else to the other party, which waited.
    function _creditBond(bytes32 key, Terms calldata terms, bool byClient, uint16 stood, uint16 share) private {
        bool back = byClient ? share < stood : share > stood;
        address to = byClient == back ? terms.client : terms.provider;
        creditOf[to] += terms.bond;
        emit BondCredited(key, to, terms.bond);
    }

    /// @dev Once: the first panel of the two has decided.
    function _isChallengeable(Terms calldata terms, Hearing storage h) private view returns (bool) {
        return terms.bond != 0 && h.panels == 1 && _isDecided(h);
    }

    function _isDecided(Hearing storage h) private view returns (bool) {
        return h.outcome == Outcome.PASS || h.outcome == Outcome.FAIL;
    }

    /// @dev After it the job may be ended.
    function _dueAt(Terms calldata terms, Hearing storage h) private view returns (uint256) {
        if (h.panels == 0) return terms.deliverBy;
        if (_isChallengeable(terms, h)) return uint256(h.closesAt) + terms.hearing;
        if (_isDecided(h)) return h.complete ? 0 : h.closesAt;
        // Undecided by the first panel, there is time to draw another.
        return h.panels == _MOST_PANELS ? h.closesAt : uint256(h.closesAt) + terms.hearing;
    }

    // --- Terms -------------------------------------------------------------------------------------------------------

    function _known(Terms calldata terms) private view returns (bytes32 key, Hearing storage h) {
        key = _keyOf(terms.escrow, terms.jobId);
        h = _hearings[key];
        if (h.digest == 0 || h.digest != _digest()) revert UnknownTerms(key);
    }

    /// @dev `digestOf` the terms of this call, of their bytes as they lie there: `register` has read and checked what these hash to.
    function _digest() private view returns (bytes32) {
        return _hashTypedDataV4(keccak256(bytes.concat(_TERMS, msg.data[_TERMS_FROM:_TERMS_TO])));
    }

    function _requireSound(Terms calldata terms) private view {
        bool parties = terms.client != terms.provider && terms.clientPrincipal != terms.providerPrincipal;
        bool named = terms.clientPrincipal != address(0) && terms.providerPrincipal != address(0);
        bool asked = terms.questions != 0 && terms.questions <= _ALL_QUESTIONS;
        bool judged = terms.panelSize != 0 && _sizeOf(terms, terms.bond != 0) <= _LARGEST_PANEL;
        bool scaled = terms.minConfidence <= BasisPoints.WHOLE && terms.passScore <= BasisPoints.WHOLE;
        bool ends = terms.hearing >= _SHORTEST && terms.hearing <= _LONGEST && terms.deliverBy >= block.timestamp;
        if (!parties || !named || !asked || !judged || !scaled || !ends) revert InvalidTerms();
    }

    /// @dev Whose a party is, the city says of those it knows: else a house would judge what is its own under another's name.
    function _requireOwn(address party, address named) private view {
        address principal = _PRODUCERS.principalOf(party);
        if (principal != address(0) && principal != named) revert OtherHouse(party, principal, named);
    }

    /// @dev The escrow's own word on who the parties are: both signatures say only that two keys agree.
    function _requireJob(Terms calldata terms) private view {
        (bool known, bytes memory job) = terms.escrow.staticcall(
            abi.encodeWithSignature("getJob(uint256)", terms.jobId)
        );
        uint256 client = uint8(terms.layout >> 24);
        uint256 provider = uint8(terms.layout >> 16);
        uint256 evaluator = uint8(terms.layout >> 8);
        // The low bits are the expiry.
        uint256 expiry = uint8(terms.layout);
        bool ordered = client < provider && provider < evaluator;
        bool same =
            known &&
                ordered &&
                _word(job, client) == uint160(terms.client) &&
                _word(job, provider) == uint160(terms.provider) &&
                _word(job, evaluator) == uint160(address(this));
        uint256 last = uint256(terms.deliverBy) + 3 * uint256(terms.hearing) + _MARGIN;
        if (!same || _endOf(job, expiry) < last) revert NotTheJob(terms.escrow, terms.jobId);
    }

    /// @dev When the escrow ends the job by itself. An `AgreementEscrow` knows no expiry: its evaluator has a time, which begins when the
    /// provider says so.
    function _endOf(bytes memory job, uint256 expiry) private view returns (uint256) {
        if (expiry != 0) return _word(job, expiry);
        bool submitted = _word(job, _STATUS) == uint256(IAgreementEscrow.Status.SUBMITTED);
        // Time fits, and so does what the escrow allows.
        return submitted ? _word(job, _DUE_AT) : block.timestamp + _word(job, _EVALUATOR_TIMEOUT);
    }

    /// @dev Zero beyond the end.
    function _word(bytes memory data, uint256 index) private pure returns (uint256 word) {
        if (data.length < 32 * (index + 1)) return 0;
        word = uint256(LibBytes.load(data, 32 * index));
    }

    function _excluded(Terms calldata terms) private pure returns (address[] memory excluded) {
        excluded = new address[](4);
        (excluded[0], excluded[1]) = (terms.client, terms.provider);
        (excluded[2], excluded[3]) = (terms.clientPrincipal, terms.providerPrincipal);
    }

    /// @dev A challenge is heard by twice as many, and one more: the first alone are no majority of it.
    function _sizeOf(Terms calldata terms, bool challenged) private pure returns (uint256) {
        return challenged ? 2 * uint256(terms.panelSize) + 1 : terms.panelSize;
    }

    function _keyOf(address escrow, uint256 jobId) private pure returns (bytes32) {
        return EfficientHashLib.hash(bytes32(uint256(uint160(escrow))), bytes32(jobId));
    }
}
