// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {LibBytes} from "solady/src/utils/LibBytes.sol";
import {IClearingEvaluator, IJobEscrow} from "../interfaces/IClearingEvaluator.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IProofVerifier} from "../interfaces/IProofVerifier.sol";
import {IQuoteVerifier} from "../interfaces/IQuoteVerifier.sol";
import {Admissibility} from "../libraries/Admissibility.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Clearing} from "../libraries/Clearing.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {OrderedMerkle} from "../libraries/OrderedMerkle.sol";
import {PanelDraw} from "../libraries/PanelDraw.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {
    ClearingDecision,
    ClearingResult,
    EvidenceClass,
    Seat,
    VerdictResult,
    WeighedVerdict
} from "../types/Evidence.sol";
import {EvidenceItem, Opening, Verdict} from "../types/Messages.sol";
import {Institution} from "../types/Roles.sol";

/// @notice See `IClearingEvaluator`.
contract ClearingEvaluator is IClearingEvaluator, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @dev What is handed in, in memory.
    struct Case {
        bytes32 obligation;
        bytes32 work;
        address[] excluded;
        uint256[6] graded;
        Seat[] panel;
        WeighedVerdict[] heard;
        /// Place of the member behind each.
        uint256[] places;
        uint256 count;
        /// Bit per question and place.
        uint256 answered;
        uint256 drawn;
    }

    bytes32 private constant _TERMS = keccak256(
        "ClearingTerms(address escrow,uint256 jobId,address client,address provider,address clientPrincipal,"
        "address providerPrincipal,bytes32 agreementHash,uint8 floor,uint8 questions,uint16 minConfidence,"
        "uint16 passScore,uint8 panelSize,bool graduated,uint32 layout,uint40 deliverBy,uint32 hearing,uint40 deadline)"
    );
    uint256 private constant _QUESTIONS = 2;
    uint256 private constant _ALL_QUESTIONS = 3;
    uint256 private constant _PLACES = 8;
    uint256 private constant _LARGEST_PANEL = 7;
    uint256 private constant _SHORTEST = 10 minutes;
    uint256 private constant _LONGEST = 30 days;
    /// @dev Between the last hearing's end and the escrow's own.
    uint256 private constant _MARGIN = 1 hours;
    uint8 private constant _MOST_PANELS = 2;

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(bytes32 key => Hearing hearing) private _hearings;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
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
        _requireJob(terms);
        key = _keyOf(terms.escrow, terms.jobId);
        if (_hearings[key].digest != 0) revert AlreadyRegistered(key);
        // A job that cannot be judged is refused before anything is paid in.
        _evidence().drawPanel(digest, terms.panelSize, _excluded(terms), block.number);
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
    function evaluate(
        Terms calldata terms,
        Opening calldata work,
        EvidenceItem[] calldata items,
        Voice[] calldata voices
    ) external nonReentrant {
        (bytes32 key, Hearing storage h) = _known(terms);
        if (h.closed) revert Closed(key);
        if (h.complete) revert AlreadyDecided(key);
        if (h.panels == 0) revert NotDelivered(key);
        if (block.timestamp > h.closesAt) revert TooLate(h.closesAt);
        Case memory c = _hear(terms, work, items, voices);
        ClearingDecision memory d = _decide(terms, c);
        _takeDown(key, h, terms, c, d);
    }

    function _takeDown(
        bytes32 key,
        Hearing storage h,
        Terms calldata terms,
        Case memory c,
        ClearingDecision memory d
    ) private {
        (Outcome outcome, uint256 members) = _outcomeOf(terms, c, d.result);
        uint16 score = outcome == Outcome.PASS ? _scoreOf(terms, c) : 0;
        if (h.outcome != Outcome.NONE && h.outcome != outcome) outcome = Outcome.CONTRADICTED;
        if (score < h.score) score = h.score;
        (h.outcome, h.score, h.confidence) = (outcome, score, d.confidence);
        h.complete = outcome != Outcome.CONTRADICTED && members == c.panel.length;
        emit Decided(key, h.panels, outcome, d.confidence, score, d.class, d.basis, h.complete);
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
    function finalise(Terms calldata terms, address feeToken) external nonReentrant {
        (bytes32 key, Hearing storage h) = _known(terms);
        if (h.closed) revert Closed(key);
        uint256 due = _dueAt(terms, h);
        if (block.timestamp <= due) revert TooEarly(due);
        bool passed = h.outcome == Outcome.PASS && h.score >= terms.passScore;
        uint16 share = passed ? (terms.graduated ? h.score : uint16(BasisPoints.WHOLE)) : 0;
        bytes32 reason = keccak256(abi.encode(h.digest, h.work, h.panels, h.outcome, h.score));
        h.closed = true;
        emit Finalised(key, h.outcome, share, reason);

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
    function preview(
        Terms calldata terms,
        Opening calldata work,
        EvidenceItem[] calldata items,
        Voice[] calldata voices
    ) external view returns (ClearingDecision memory d) {
        (bytes32 key, Hearing storage h) = _known(terms);
        if (h.panels == 0) revert NotDelivered(key);
        d = _decide(terms, _hear(terms, work, items, voices));
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
        Opening calldata work,
        EvidenceItem[] calldata items,
        Voice[] calldata voices
    ) private view returns (Case memory c) {
        bytes32 key = _keyOf(terms.escrow, terms.jobId);
        (c.obligation, c.work) = (_hearings[key].digest, _hearings[key].work);
        c.excluded = _excluded(terms);
        IEvidenceRegistry registry = _evidence();
        _prove(registry, c, terms.provider, work, items);
        _draw(registry, c, key, terms.panelSize);
        // At most seven members have a place. An empty place is an abstention.
        for (uint256 i = 0; i < voices.length; ++i) _listen(c, voices[i]);
    }

    function _decide(Terms calldata terms, Case memory c) private pure returns (ClearingDecision memory) {
        return Clearing.decide(c.heard, c.graded, terms.floor, terms.questions, terms.minConfidence, 1, c.drawn);
    }

    function _draw(IEvidenceRegistry registry, Case memory c, bytes32 key, uint8 size) private view {
        (uint256 drawBlock, uint8 panel) = (_hearings[key].drawBlock, _hearings[key].panels);
        bytes32 hash = registry.seedOf(drawBlock);
        if (hash == 0) revert IEvidenceRegistry.SeedUnknown(drawBlock);
        bytes32 seed = PanelDraw.seed(keccak256(abi.encode(hash, key)), address(this), 0, panel);
        c.panel = registry.drawPanel(seed, size, c.excluded, drawBlock);
        // At most seven seats.
        for (uint256 i = 0; i < size; ++i) c.drawn += c.panel[i].weight;
        (c.heard, c.places) = (new WeighedVerdict[](_QUESTIONS * size), new uint256[](_QUESTIONS * size));
    }

    /// @dev An item is worth what its provider signed for, at most SIGN, until its issuer says more.
    function _prove(
        IEvidenceRegistry registry,
        Case memory c,
        address provider,
        Opening calldata work,
        EvidenceItem[] calldata items
    ) private view {
        bytes32 given = Commitments.commitment(provider, work, c.obligation);
        if (given != c.work) revert OtherWork(c.work, given);
        uint256[] memory classes = new uint256[](1);
        classes[0] = Admissibility.unproven(work.classes, work.items);
        for (uint256 i = 0; i < items.length; ++i) {
            EvidenceItem calldata item = items[i];
            _admit(registry, c, work, item);
            classes[0] = Admissibility.raised(classes[0], work.classes, item.index, item.class);
        }
        c.graded = Admissibility.grade(classes);
    }

    /// @dev In the envelope, of an issuer that may say so, that is of neither party's house, and that did say so.
    function _admit(
        IEvidenceRegistry registry,
        Case memory c,
        Opening calldata work,
        EvidenceItem calldata item
    ) private view {
        bytes32 leaf = Commitments.evidenceLeaf(
            c.obligation,
            item.slot,
            item.index,
            item.kind,
            item.payload,
            item.issuer,
            item.class
        );
        bool within = OrderedMerkle.verify(work.envelopeRoot, leaf, item.index, work.items, item.proof);
        if (!within || item.slot != 0) revert ItemNotInEnvelope(item.slot, item.index);
        (bool registered, address principal) = registry.issuerOf(item.issuer, item.class);
        if (!registered) revert IssuerNotRegistered(item.issuer, item.class);
        for (uint256 i = 0; i < c.excluded.length; ++i) {
            if (c.excluded[i] == principal || c.excluded[i] == item.issuer)
                revert IssuerConflict(item.issuer, principal);
        }
        if (!_isIssued(c.obligation, item)) revert ProofRejected(item.slot, item.index);
    }

    /// @dev A proof is its contract's answer, a quote its adapter's, anything else a key's signature.
    function _isIssued(bytes32 obligation, EvidenceItem calldata item) private view returns (bool) {
        bool isContract = !Signatures.isKey(item.issuer);
        if (item.class == EvidenceClass.PROOF) {
            bytes memory proof = abi.encodeCall(IProofVerifier.proves, (obligation, item.payload, item.signature));
            return isContract && _affirms(item.issuer, proof);
        }
        bytes32[] memory alone = new bytes32[](1);
        alone[0] = TypedData.hashEvidence(obligation, item);
        bytes32 digest = _hashTypedDataV4(TypedData.hashEvidences(item.issuer, alone));
        if (!isContract) return Signatures.isEcdsa(item.issuer, digest, item.signature);
        return _affirms(item.issuer, abi.encodeCall(IQuoteVerifier.attests, (digest, item.signature)));
    }

    function _affirms(address target, bytes memory question) private view returns (bool) {
        (bool ok, bytes32 word, ) = LowLevelCall.staticcallReturn64Bytes(target, question);
        return ok && word == bytes32(uint256(1));
    }

    function _listen(Case memory c, Voice calldata voice) private view {
        Signatures.requireInTime(voice.deadline);
        uint256 place = _placeOf(c, voice.verifier);
        bytes32[] memory hashes = new bytes32[](voice.verdicts.length);
        for (uint256 i = 0; i < hashes.length; ++i) {
            Verdict calldata v = voice.verdicts[i];
            if (v.obligation != c.obligation) revert OtherObligation(c.obligation, v.obligation);
            if (v.commitment != c.work) revert OtherWork(c.work, v.commitment);
            hashes[i] = TypedData.hashVerdict(v);
            uint256 answer = 1 << (_PLACES * uint256(v.question) + place);
            if (c.answered & answer != 0) revert DuplicateVerdict(voice.verifier);
            c.answered |= answer;
            c.places[c.count] = place;
            _note(c.heard[c.count++], v, c.panel[place].weight);
        }
        bytes32 digest = _hashTypedDataV4(TypedData.hashVerdicts(voice.verifier, hashes, voice.deadline));
        Signatures.requireEcdsa(voice.verifier, digest, voice.signature);
    }

    function _note(WeighedVerdict memory w, Verdict calldata v, uint16 weight) private pure {
        (w.question, w.result, w.weight) = (v.question, v.result, weight);
        (w.confidence, w.score, w.basis, w.agreeing) = (v.confidence, v.score, v.basis, v.agreeing);
    }

    function _placeOf(Case memory c, address verifier) private pure returns (uint256) {
        // At most seven seats.
        for (uint256 i = 0; i < c.panel.length; ++i) if (c.panel[i].verifier == verifier) return i;
        revert NotOnPanel(verifier);
    }

    // --- Decision ----------------------------------------------------------------------------------------------------

    /// @dev More than half of the members count, whatever their weights; what is not decided is not taken down.
    function _outcomeOf(
        Terms calldata terms,
        Case memory c,
        ClearingResult result
    ) private pure returns (Outcome outcome, uint256 members) {
        uint256 places = 0;
        for (uint256 i = 0; i < c.count; ++i) {
            if (_counts(terms, c, i)) places |= 1 << c.places[i];
        }
        for (; places != 0; places &= places - 1) ++members;
        if (result == ClearingResult.PASS) outcome = Outcome.PASS;
        else if (result == ClearingResult.FAIL) outcome = Outcome.FAIL;
        if (outcome == Outcome.NONE || 2 * members <= c.panel.length) revert Undecided(uint8(result));
    }

    /// @dev The highest score that members with more than half of the weight give at least, on the first question asked. Verdicts that are
    /// left out can only lower it.
    function _scoreOf(Terms calldata terms, Case memory c) private pure returns (uint16 score) {
        uint256 question = terms.questions & 1 == 1 ? 0 : 1;
        for (uint256 i = 0; i < c.count; ++i) {
            uint16 candidate = c.heard[i].score;
            if (candidate <= score || !_praises(terms, c, i, question)) continue;
            uint256 weight = 0;
            for (uint256 j = 0; j < c.count; ++j) {
                if (c.heard[j].score >= candidate && _praises(terms, c, j, question)) weight += c.heard[j].weight;
            }
            if (2 * weight > c.drawn) score = candidate;
        }
    }

    function _praises(Terms calldata terms, Case memory c, uint256 i, uint256 question) private pure returns (bool) {
        WeighedVerdict memory v = c.heard[i];
        return uint256(v.question) == question && v.result == VerdictResult.PASS && _counts(terms, c, i);
    }

    /// @dev What `Clearing` counts for one side or the other.
    function _counts(Terms calldata terms, Case memory c, uint256 i) private pure returns (bool) {
        WeighedVerdict memory v = c.heard[i];
        return
            Clearing.isAnswer(v, terms.questions) &&
            v.confidence >= terms.minConfidence &&
            Admissibility.isAdmissible(v.basis, c.graded[uint256(terms.floor)]);
    }

    function _isDecided(Hearing storage h) private view returns (bool) {
        return h.outcome == Outcome.PASS || h.outcome == Outcome.FAIL;
    }

    /// @dev After it the job may be ended.
    function _dueAt(Terms calldata terms, Hearing storage h) private view returns (uint256) {
        if (h.panels == 0) return terms.deliverBy;
        if (_isDecided(h)) return h.complete ? 0 : h.closesAt;
        // Undecided by the first panel, there is time to draw another.
        return h.panels == _MOST_PANELS ? h.closesAt : uint256(h.closesAt) + terms.hearing;
    }

    // --- Terms -------------------------------------------------------------------------------------------------------

    function _known(Terms calldata terms) private view returns (bytes32 key, Hearing storage h) {
        key = _keyOf(terms.escrow, terms.jobId);
        h = _hearings[key];
        if (h.digest == 0 || h.digest != digestOf(terms)) revert UnknownTerms(key);
    }

    function _requireSound(Terms calldata terms) private view {
        bool parties = terms.client != terms.provider && terms.clientPrincipal != terms.providerPrincipal;
        bool named = terms.clientPrincipal != address(0) && terms.providerPrincipal != address(0);
        bool asked = terms.questions != 0 && terms.questions <= _ALL_QUESTIONS;
        bool judged = terms.panelSize != 0 && terms.panelSize <= _LARGEST_PANEL;
        bool scaled = terms.minConfidence <= BasisPoints.WHOLE && terms.passScore <= BasisPoints.WHOLE;
        bool ends = terms.hearing >= _SHORTEST && terms.hearing <= _LONGEST && terms.deliverBy >= block.timestamp;
        if (!parties || !named || !asked || !judged || !scaled || !ends) revert InvalidTerms();
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
        if (!same || (expiry != 0 && _word(job, expiry) < last)) revert NotTheJob(terms.escrow, terms.jobId);
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

    function _evidence() private view returns (IEvidenceRegistry) {
        return IEvidenceRegistry(_CONSTITUTION.at(Institution.EVIDENCE));
    }

    function _keyOf(address escrow, uint256 jobId) private pure returns (bytes32) {
        return keccak256(abi.encode(escrow, jobId));
    }
}
