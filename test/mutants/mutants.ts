/**
 * Small wrong edits of the contracts. Each must compile, and fail the one test named; those with an invariant show that it can fail, those
 * of the attacks that the attack succeeds without its guard.
 */
import { ATTACKS } from "../attacks/attacks.ts";
import { INVARIANTS, titleOf } from "../invariants/invariants.ts";

export interface Mutant {
  /** Under `contracts/`. */
  readonly file: string;
  /** Occurs in it exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly killedBy: { readonly file: string; readonly test: string };
  readonly invariant?: number;
  /** Of the walk that is known to notice. It is taken first; the others follow if the walks have changed since. */
  readonly seed?: number;
}

/** An edit that breaks an invariant, as the walks of `test/invariants/` see it, that from `seed` first. */
function breaks(number: number, file: string, find: string, replace: string, seed = 0): Mutant {
  const invariant = INVARIANTS.find((one) => one.number === number);
  if (invariant === undefined) throw new Error(`no invariant ${number}`);
  return {
    file,
    find,
    replace,
    invariant: number,
    seed,
    killedBy: { file: "test/invariants/invariants.test.ts", test: titleOf(invariant) },
  };
}

/** An edit that a behaviour or differential test of `test/contracts/` notices. */
function noticed(by: string, test: string, file: string, find: string, replace: string): Mutant {
  return { file, find, replace, killedBy: { file: `test/contracts/${by}.test.ts`, test } };
}

const THROUGH_INVARIANTS: readonly Mutant[] = [
  breaks(1, "collaboration/NodeCore.sol", "return ok && word == bytes32(uint256(1));", "return ok && word != bytes32(uint256(7));", 4),
  breaks(
    1,
    "collaboration/NodeCore.sol",
    "moveMission(s, released ? MissionState.COMPLETED : MissionState.FAILED);",
    "moveMission(s, MissionState.COMPLETED);",
    2,
  ),
  breaks(2, "libraries/LawCodec.sol", "if (before & fresh != 0 && before & ~done == 0) nodes", "if (before & fresh != 0) nodes"),
  breaks(
    2,
    "collaboration/NodeCore.sol",
    "s.head.state == MissionState.PENDING || LawCodec.predecessors(args, node) != 0",
    "s.head.state == MissionState.PENDING",
  ),
  breaks(
    3,
    "collaboration/Pledges.sol",
    "if (b.word.state != NodeState.EXECUTING) return",
    "if (b.word.state != NodeState.EXECUTING && b.word.state != NodeState.FROZEN) return",
    3,
  ),
  breaks(
    4,
    "collaboration/ClearingDesk.sol",
    "if (result == ClearingResult.PASS) return _pass(s, f, w, r);",
    "if (result == ClearingResult.PASS) return _pass(s, f, w, r);\n        if (result == ClearingResult.FAIL) {\n            NodeCore.finish(s, f, w, r.node, r.output);\n            return NodeCore.store(s, r.node, w);\n        }",
    1,
  ),
  breaks(
    5,
    "collaboration/NodeCore.sol",
    "if (o.trailRoot == 0) return ICollaborationContract.TrailMissing.selector;",
    "if (o.salt == 0) return ICollaborationContract.TrailMissing.selector;",
    3,
  ),
  breaks(6, "libraries/Admissibility.sol", "return basis != 0 && basis & ~atFloor == 0;", "return basis != 0;", 6),
  noticed(
    "agreements/clearing-evaluator",
    "takes evidence for no more than the provider claimed and its issuer signed",
    "libraries/Admissibility.sol",
    "EvidenceClass class = meet(classAt(classes, index), issued);",
    "EvidenceClass class = issued;",
  ),
  breaks(6, "collaboration/Docket.sol", "if (!Exhibits.mayIssue(by, item)) {", "if (item.issuer == address(0)) {", 6),
  breaks(6, "collaboration/Overrides.sol", "if (!Dockets.isAdmissible(d, basis)) revert", "if (!Dockets.isClaimed(d, basis)) revert", 6),
  breaks(6, "collaboration/Docket.sol", "if (Exhibits.isParty(d.parties, item.issuer, by)) {", "if (by.principal == address(0)) {", 6),
  breaks(
    7,
    "collaboration/Escrow.sol",
    "if (block.timestamp < until) return _waits(node, until);",
    "if (until == 0) return _waits(node, until);",
  ),
  breaks(
    7,
    "collaboration/Appeals.sol",
    "return ruling > until ? ruling : until;",
    "return ruling > until && appeals.open > 8 ? ruling : until;",
    6,
  ),
  noticed(
    "collaboration/modules/descent",
    "lends to a second child what the first did not spend, and nothing when all is spent",
    "collaboration/Descent.sol",
    "uint64 amount = law.budget() - child.spent;",
    "uint64 amount = law.budget();",
  ),
  noticed(
    "collaboration/replay",
    "a mission whose nodes are missions: one that made no law, one that wasted a part, one that was done",
    "collaboration/Descent.sol",
    "s.books.children -= returned;",
    "s.books.children -= returned / 2;",
  ),
  noticed(
    "collaboration/modules/descent",
    "brings the money home to a mission that ended meanwhile, whose children anyone may end",
    "collaboration/Escrow.sol",
    "        if (s.delegated != 0) revert ICollaborationContract.ChildrenRunning(s.delegated);\n",
    "",
  ),
  breaks(8, "collaboration/Escrow.sol", "books.paid += tab.paid;", "books.paid += tab.paid + 1;"),
  breaks(8, "collaboration/Records.sol", "s.books.entitled += entitled;", "s.books.entitled += entitled + 1;"),
  breaks(9, "collaboration/Dispatch.sol", "price: price,", "price: slotBudget,", 2),
  breaks(10, "collaboration/Treasury.sol", " pools.insurance += insured;", " pools.insurance += insured + 1;"),
  breaks(10, "meta/legislation/Convocation.sol", "info.deposit -= fee;", ""),
  breaks(10, "collaboration/StakePool.sol", "ledger.sums.committed -= release;", "ledger.sums.committed -= release / 2;", 1),
  breaks(11, "foundational/Dues.sol", "slashed / 2, slashed - slashed / 2, reason);", "slashed / 2, slashed / 4, reason);"),
  breaks(11, "foundational/Stakes.sol", "locked -= released;", "locked -= released / 2;"),
  breaks(12, "meta/ConstitutionalValidator.sol", "if (allocated > header.budget) revert BudgetMismatch(header.budget, allocated);", ""),
  breaks(12, "collaboration/Descent.sol", "child.spent += lent - returned;", "child.spent += (lent - returned) / 2;", 5),
  breaks(13, "meta/legislation/BallotBox.sol", "if ((batch.lanes >> shift) & 0xff != 0) revert", "if (ranking == 0) revert"),
  breaks(14, "libraries/Condorcet.sol", "(16 * (index % 16))) & 0xffff;", "(16 * (index % 16))) & 0xfffe;"),
  breaks(14, "meta/legislation/BallotBox.sol", "docket.info.ballots += uint16(ballots.length);", "docket.info.ballots += 1;"),
  breaks(15, "meta/LegislativeProcedure.sol", "if (ballots >= quorum) {", "if (ballots != 0) {", 1),
  breaks(
    15,
    "meta/legislation/Candidacies.sol",
    "if (entry.sponsors < minimum || !entry.pluralistic) continue;",
    "if (minimum == 0) continue;",
    2,
  ),
  breaks(
    15,
    "meta/legislation/Enactment.sol",
    "        if (Blocs.isDelayed(docket)) revert ILegislativeProcedure.AwaitingRuling(session, docket.bloc.caseHash);\n",
    "",
    2,
  ),
  breaks(
    16,
    "meta/legislation/Enactment.sol",
    "bytes32 specHash = docket.requireWinner(session, LawCodec.specHash(keccak256(law), docHash));\n        _requireApproval",
    "bytes32 specHash = docket.candidates[docket.info.winner].specHash;\n        _requireApproval",
  ),
  breaks(
    16,
    "meta/legislation/Enactment.sol",
    "LawCodec.args(law, info.params, docHash",
    "LawCodec.args(law, constitution.missionParams(), docHash",
  ),
  breaks(17, "foundational/ConstitutionContract.sol", "        _requireInRange(which, value);\n", ""),
  breaks(
    17,
    "foundational/ConstitutionContract.sol",
    "if (value < min || value > max) revert",
    "if (value < min || value > max + 1) revert",
  ),
  breaks(
    18,
    "foundational/ProducerContract.sol",
    "function ban(address agent, bytes32 reason) external {\n        _onlyGovernor();",
    "function ban(address agent, bytes32 reason) external {",
  ),
  breaks(
    18,
    "meta/EvidenceRegistry.sol",
    "function registerRunner(address runner, address principal) external {\n        _onlyGovernor();",
    "function registerRunner(address runner, address principal) external {",
  ),
  breaks(
    18,
    "foundational/ConstitutionContract.sol",
    "function setParam(Param which, uint256 value, bytes32 justification) external {\n        if (!isGovernor(msg.sender)) revert NotGovernor(msg.sender);",
    "function setParam(Param which, uint256 value, bytes32 justification) external {",
  ),
  breaks(
    19,
    "foundational/ProducerContract.sol",
    "if (standing == Standing.NONE) revert NotAuthorised(msg.sender);",
    "if (standing == Standing.NONE && !_isProcedure(Institution.LEGISLATION)) revert NotAuthorised(msg.sender);",
  ),
  breaks(23, "libraries/Reputation.sol", "return uint256(moved) < MAX ? uint256(moved) : MAX;", "return uint256(moved);", 6),
  breaks(
    13,
    "meta/legislation/BallotBox.sol",
    "batch.lanes |= uint256(ranking) << shift;",
    "if (batch.m > 8) batch.lanes |= uint256(ranking) << shift;",
  ),
  breaks(
    24,
    "meta/ExecutionProcedure.sol",
    "_requireMission(offer.mission);\n        uint256 nonce = _market.nonces[auth.agent]++;",
    "_requireMission(offer.mission);\n        uint256 nonce = _market.nonces[auth.agent];",
    2,
  ),
  breaks(25, "meta/market/Awards.sol", "_BINDING_FROM = 5;", "_BINDING_FROM = 50;", 1),
  breaks(26, "foundational/ProducerContract.sol", "        if (_ledger.portfolios[account.principal].frozen) return false;\n", ""),
  breaks(
    27,
    "collaboration/Dispatch.sol",
    "        NodeCore.requireMission(s, NodeCore.RUNNING);\n        Frame memory f = MissionFrame.open(city);\n        address principal",
    "        Frame memory f = MissionFrame.open(city);\n        address principal",
  ),
  breaks(
    27,
    "collaboration/Dispatch.sol",
    "EmptyBatch();\n        if (s.head.stopped) revert ICollaborationContract.Stopped();\n",
    "EmptyBatch();\n",
  ),
];

/** What is packed: a bid's word, an account's; the rows of the action table; what the treasury is owed. */
const WORDS: readonly Mutant[] = [
  noticed(
    "meta/execution-procedure",
    "takes what bid would take, in order, and passes over the rest, which may be sent again",
    "meta/ExecutionProcedure.sol",
    "try this.bid(offers[i], auths[i], admissions[i]) {",
    "try this.bid(offers[0], auths[0], admissions[0]) {",
  ),
  noticed(
    "meta/execution-procedure",
    "takes what bid would take, in order, and passes over the rest, which may be sent again",
    "libraries/BidWord.sol",
    "return (word >> 224) & 0xfffff;",
    "return word & 0xfffff;",
  ),
  noticed(
    "meta/execution-procedure",
    "takes what bid would take, in order, and passes over the rest, which may be sent again",
    "libraries/BidWord.sol",
    "HIGHEST_PRICE = (1 << 44) - 1;",
    "HIGHEST_PRICE = (1 << 20) - 1;",
  ),
  noticed(
    "foundational/producer-contract",
    "take a producer out of the electorate and back into that of later blocks",
    "foundational/Suffrage.sol",
    "if (counted) count(self, account.principal, false);",
    "if (!counted) count(self, account.principal, false);",
  ),
  noticed(
    "meta/adjudication-procedure",
    "show the table as it counts now, in the order of the enum",
    "libraries/ActionTable.sol",
    "(2 << (8 * (uint256(Action.FREEZE_AGENT) - 32)))",
    "(1 << (8 * (uint256(Action.FREEZE_AGENT) - 32)))",
  ),
  {
    file: "foundational/Dues.sol",
    find: "due = Owed(due.fees + fees, due.insurance + insurance);",
    replace: "due = Owed(fees, insurance);",
    killedBy: { file: "test/attacks/tokens.test.ts", test: "a treasury that was blocked once never gets another slash" },
  },
  {
    file: "foundational/Dues.sol",
    find: "if (waited) (owed.fees, owed.insurance) = (0, 0);",
    replace: "",
    killedBy: { file: "test/attacks/tokens.test.ts", test: "a treasury that was blocked once never gets another slash" },
  },
];

/** Hybrid mode: what a checkpoint asks before it takes over what was worked off chain. */
const CHECKPOINTS: readonly Mutant[] = (
  [
    ["a mission whose law wants every stage on chain, and nothing at all", "if (wave.interval == 0)", "if (wave.interval == 1)"],
    [
      "one that was taken before, one that skips another, and one that comes after its turn",
      "if (c.previous != s.checkpoint)",
      "if (false)",
    ],
    [
      "who is no runner, a runner of an executor's principal, and another's signature in its name",
      "if (principal == wave.principal)",
      "if (principal == wave.runner)",
    ],
    [
      "a wave that was changed after its runner signed",
      "TypedData.hashCheckpoint(c.runner, c.previous, c.root, work, c.deadline)",
      "TypedData.hashCheckpoint(c.runner, c.previous, c.previous, work, c.deadline)",
    ],
    [
      "work that its executor did not sign for, or for another attempt",
      "Signatures.requireEcdsa(agent, f.digest(message), order.signatures[slot]);",
      "message;",
    ],
    [
      "work that could have begun longer ago than the interval; it goes on chain, and nothing of it is lost",
      "if (block.timestamp > due)",
      "if (block.timestamp > uint256(due) + 60)",
    ],
    [
      "a node that was started on chain, waits, or is taken already",
      "if (w.commitMask != 0 || w.remainder != 0 || NodeCore.dropped(s, w, node) != 0)",
      "if (w.commitMask != 0 || NodeCore.dropped(s, w, node) != 0)",
    ],
    ["everything while the mission is stopped, and a node that is frozen", "if (s.head.stopped)", "if (false)"],
    [
      "is evaluated in a later block, by panels drawn after it was committed",
      "NodeCore.startVerification(f, w, node);",
      "NodeCore.startVerification(f, w, node);\n        w.drawBlock -= 1;",
    ],
  ] as const
).map(([test, find, replace]) => noticed("collaboration/modules/checkpoints", test, "collaboration/Checkpoints.sol", find, replace));

const THROUGH_BEHAVIOUR: readonly Mutant[] = [
  noticed(
    "libraries/clearing",
    "on geq, meet and join of every pair",
    "libraries/Admissibility.sol",
    "if (a == EvidenceClass.REC && b == EvidenceClass.WIT) return false;",
    "",
  ),
  noticed(
    "libraries/clearing",
    "on random decisions, of every result",
    "libraries/Clearing.sol",
    "if (2 * _weight(side) <= drawn",
    "if (2 * _weight(side) < drawn",
  ),
  noticed(
    "libraries/market",
    "Fairness",
    "libraries/Fairness.sol",
    "if (p <= 1 || sumSquares >= square) return 0;",
    "if (p <= 2 || sumSquares >= square) return 0;",
  ),
  noticed("libraries/market", "Payout", "libraries/Payout.sol", "s.discount = s.released - s.paid;", "s.discount = s.base - s.paid;"),
  noticed("libraries/market", "BidScore: match", "libraries/BidScore.sol", "held += have < want ? have : want;", "held += have;"),
  noticed(
    "libraries/market",
    "Reputation",
    "libraries/Reputation.sol",
    "(1000 - lambda) * (score * 100)) / 1000;",
    "(1000 - lambda) * (score * 100) + 999) / 1000;",
  ),
  noticed(
    "libraries/condorcet",
    "on random elections: winner, whole order, all pairs",
    "libraries/Condorcet.sol",
    "else if (support == against) points += 1;",
    "",
  ),
  noticed(
    "libraries/ordered-merkle",
    "on 10,000 proofs with one thing changed",
    "libraries/OrderedMerkle.sol",
    "if (index >= size) return false;",
    "if (index > size) return false;",
  ),
  noticed(
    "libraries/commitments",
    "on random draws",
    "libraries/PanelDraw.sol",
    "hash(seed_, bytes32(draw))) % n",
    "hash(seed_, bytes32(draw + 1))) % n",
  ),
  noticed(
    "libraries/param-ranges",
    "agree with ParamRanges, entry by entry",
    "libraries/ParamRanges.sol",
    "if (p == Param.EMERGENCY_CLEAR_SIGNATURES) return (2, 10);",
    "if (p == Param.EMERGENCY_CLEAR_SIGNATURES) return (1, 10);",
  ),
  noticed(
    "meta/adjudication-procedure",
    "executes what one adjudicator signed, whoever relays it, and tells it once",
    "meta/AdjudicationProcedure.sol",
    " | (_endOf(digest) << _LAST_AT);",
    ";",
  ),
  noticed(
    "meta/adjudication-procedure",
    "judges the state that was signed, unless it stops: nobody outruns a stop by changing the state",
    "meta/AdjudicationProcedure.sol",
    "_executed[digest] = true;",
    "_executed[digest] = signatures.length > 1;",
  ),
  noticed(
    "meta/adjudication-procedure",
    "asks for somebody else after two sole approvals of one kind in one mission",
    "meta/AdjudicationProcedure.sol",
    "lane |= run + 1;",
    "lane |= 1;",
  ),
  noticed(
    "meta/adjudication-procedure",
    "needs a signature, and distinct signers in ascending order",
    "meta/AdjudicationProcedure.sol",
    "if (signer <= previous) revert",
    "if (signer < previous) revert",
  ),
  noticed(
    "collaboration/modules/verification",
    "is of this work, by a word and not a proof, at the floor",
    "collaboration/Docket.sol",
    "d.commitments[0] && item.class != EvidenceClass.PROOF",
    "d.commitments[0]",
  ),
  noticed(
    "collaboration/modules/verification",
    "is of this work, by a word and not a proof, at the floor",
    "collaboration/Docket.sol",
    "!about || !Admissibility.geq(item.class, EvidenceClass(d.law.floor()))",
    "!about",
  ),
  noticed(
    "collaboration/modules/verification",
    "is nothing that praise could rest on, of a panel or a human",
    "collaboration/Docket.sol",
    "return v.withoutBasis();",
    "return v;",
  ),
  noticed(
    "collaboration/modules/verification",
    "that was posted holds, whatever its issuer does afterwards",
    "collaboration/Hearings.sol",
    "            notes.refuted = true;\n",
    "",
  ),
  noticed(
    "collaboration/modules/verification",
    "hears what answers nothing as presence, whatever it claims to rest on",
    "collaboration/Rulings.sol",
    "        if (!Clearing.isAnswer(v, questions)) return false;\n",
    "",
  ),
  noticed(
    "collaboration/modules/verification",
    "is about the state that was judged",
    "collaboration/Overrides.sol",
    "if (judged != current) revert",
    "if (judged == 0) revert",
  ),
  noticed(
    "meta/adjudication-procedure-actions",
    "takes one signature, two where the risk is HIGH, and never leaves the range",
    "meta/AdjudicationProcedure.sol",
    "return ParamRanges.isHigh(which) ? needed + 1 : needed;",
    "return ParamRanges.isHigh(which) ? needed : needed;",
  ),
  noticed(
    "meta/adjudication-procedure-actions",
    "is refused to whose principal answers for the agent, also through a sub-agent, also when it joined after the signature",
    "meta/adjudication/Conflicts.sol",
    "if (roster.isInterested(adjudicator, order.target)) return true;",
    "if (adjudicator == order.target) return true;",
  ),
  noticed(
    "meta/adjudication-procedure-actions",
    "are refused to whose principal is to hold the office",
    "meta/adjudication/Conflicts.sol",
    "if (order.action == Action.APPOINT_CLERK) (, principal)",
    "if (order.action == Action.SLASH) (, principal)",
  ),
  noticed(
    "meta/adjudication-procedure-actions",
    "stops a principal's whole portfolio, what joins later included, and is lifted the same way",
    "meta/adjudication/Orders.sol",
    "IEvidenceRegistry(city.at(Institution.EVIDENCE)).suspend(order.target, frozen);",
    "if (!frozen) IEvidenceRegistry(city.at(Institution.EVIDENCE)).suspend(order.target, frozen);",
  ),
  noticed(
    "meta/adjudication-procedure-actions",
    "stops a principal's whole portfolio, what joins later included, and is lifted the same way",
    "foundational/ClerkContract.sol",
    "return _holds(office, account) && producers.isEligible(account, Kind.CLERK);",
    "return _holds(office, account) && address(producers) != address(0);",
  ),
  noticed(
    "meta/evidence-registry",
    "silences all accounts of a principal, those to come too, and nobody else's; twice changes nothing",
    "meta/EvidenceRegistry.sol",
    "if (roles.retired || isSuspended(roles.principal)) continue;",
    "if (roles.retired) continue;",
  ),
  noticed(
    "meta/adjudication-procedure-actions",
    "takes seat and stake at two thirds of the seats, the target not signing; its signatures are void at once",
    "libraries/ActionTable.sol",
    "(SUPERMAJORITY << (8 * uint256(Action.IMPEACH)))",
    "(2 << (8 * uint256(Action.IMPEACH)))",
  ),
  noticed(
    "meta/adjudicator-roster",
    "takes seat and stake, half to the treasury, the odd unit to insurance, and seats nobody again",
    "meta/AdjudicatorRoster.sol",
    "if (former.impeached) revert",
    "if (former.impeached && former.active) revert",
  ),
  noticed(
    "meta/adjudicator-roster",
    "reaches what a former adjudicator still has here, and never what was paid out",
    "meta/AdjudicatorRoster.sol",
    "if (stake == 0) revert NothingAtStake(adjudicator);",
    "if (!own.active) revert NothingAtStake(adjudicator);",
  ),
  noticed(
    "meta/adjudication-procedure-actions",
    "signs alone on a mission only when fewer than half of the quorum are unconflicted, and is named for it",
    "meta/AdjudicationProcedure.sol",
    "return roster.unconflictedIn(action.mission) < (quorum + 1) / 2;",
    "return roster.unconflictedIn(action.mission) <= (quorum + 1) / 2;",
  ),
  noticed(
    "meta/adjudication-procedure-actions",
    "has no second until two others audited the first, and never acts alone on the city",
    "meta/AdjudicationProcedure.sol",
    "if (_unaudited.digest != 0) return false;",
    "if (_executed[0]) return false;",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "every action but release and impeachment is refused, whoever signs",
    "meta/AdjudicationProcedure.sol",
    "if (!action.action.passesFreeze()) _watchdog().requireUnfrozen();",
    "if (action.action.rotates()) _watchdog().requireUnfrozen();",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "no announced procedure comes into office",
    "foundational/ConstitutionContract.sol",
    "IAdjudicatorWatchdog(at(Institution.WATCHDOG)).requireUnfrozen();",
    "IAdjudicatorWatchdog(at(Institution.WATCHDOG)).isFrozen();",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "needs all who are not flagged, and nobody who is",
    "meta/adjudication/Conflicts.sol",
    "return IAdjudicatorWatchdog(city.at(Institution.WATCHDOG)).isFlagged(adjudicator);",
    "return adjudicator == address(0);",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "needs two thirds of them when it has lasted too long, two at least, and waits for a warning to lapse when all are flagged",
    "meta/AdjudicatorWatchdog.sol",
    "return needed < 2 ? 2 : needed;",
    "return needed;",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "gives a window the time that the panel was frozen in it, up to the limit of each freeze",
    "meta/AdjudicatorWatchdog.sol",
    "return end < freeze.most ? end : freeze.most;",
    "return end;",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "lets whoever was flagged start with an empty record, and nobody else",
    "meta/AdjudicatorWatchdog.sol",
    "return (record.approvalWarned != 0 || record.weakeningWarned != 0) && record.releases != _releases;",
    "return record.releases != _releases;",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "freezes at one family in two disjoint windows, and not within one",
    "libraries/ConductRecord.sol",
    "return (next, false, day >= warnedOn + window);",
    "return (next, false, day + 1 >= warnedOn + window);",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "freezes at two families, not at a rate and a run, which are one",
    "libraries/ConductRecord.sol",
    "f.freezes = f.freezes || (f.warnings.approval != 0 && f.warnings.weakening != 0);",
    "f.freezes = f.freezes && (f.warnings.approval != 0 && f.warnings.weakening != 0);",
  ),
  noticed(
    "meta/adjudicator-watchdog",
    "counts what the panel's actions say, for each signer; the rest says nothing",
    "meta/AdjudicationProcedure.sol",
    "weakens = ParamRanges.weakens(which, _CONSTITUTION.param(which), value);",
    "weakens = ParamRanges.weakens(which, value, _CONSTITUTION.param(which));",
  ),
  noticed(
    "collaboration/modules/watchdog-hold",
    "routes nothing while the panel is frozen; what was routed goes on, and what was earned is paid",
    "collaboration/Dispatch.sol",
    "EmptyBatch();\n        if (s.head.stopped) revert ICollaborationContract.Stopped();\n        city.watchdog.requireRunning();",
    "EmptyBatch();\n        if (s.head.stopped) revert ICollaborationContract.Stopped();",
  ),
  noticed(
    "collaboration/modules/watchdog-hold",
    "keeps an open window open, so that an appeal is heard; a closed one stays closed",
    "collaboration/Escrow.sol",
    "tab.until = WatchdogHold.extended(f.city.watchdog, due, window);",
    "tab.until = due;",
  ),
  noticed(
    "collaboration/modules/watchdog-hold",
    "does not count against who waits to be routed or for a human",
    "collaboration/Remedies.sol",
    "deadline = WatchdogHold.extended(f.city.watchdog, deadline, patience);",
    "deadline = w.deadline + 0 * patience;",
  ),
  noticed(
    "meta/legislation/enactment",
    "waits until the watchdog has released the panel",
    "meta/legislation/Enactment.sol",
    "IAdjudicatorWatchdog(constitution.at(Institution.WATCHDOG)).requireRunning();",
    "IAdjudicatorWatchdog(constitution.at(Institution.WATCHDOG)).isFrozen();",
  ),
  noticed(
    "meta/template-registry",
    "refuses what reports another law or context than its clones carry",
    "meta/TemplateRegistry.sol",
    "if (reported != given) revert",
    "if (reported == 0) revert",
  ),
  noticed(
    "foundational/clerk-contract",
    "counts uses by office, selector and session up to the maximum",
    "foundational/ClerkContract.sol",
    "if (used >= envelope.maxPerSession) {",
    "if (used > envelope.maxPerSession) {",
  ),
  noticed(
    "foundational/producer-contract",
    "slashes half to the treasury, half and the odd unit to insurance",
    "foundational/Dues.sol",
    "slashed / 2, slashed - slashed / 2, reason);",
    "slashed - slashed / 2, slashed / 2, reason);",
  ),
  noticed(
    "foundational/producer-contract",
    "ends eligibility at once and pays the principal after unbonding, once",
    "foundational/ProducerContract.sol",
    "if (!_has(account, Flags.LEAVING) || block.timestamp < until) revert",
    "if (!_has(account, Flags.LEAVING)) revert",
  ),
  noticed(
    "meta/execution-procedure",
    "drops what nobody withdrew of an earlier attempt before any bid of this one",
    "meta/market/Openings.sol",
    "if (bids[i].attemptOf() != entry.attemptOf()) return i;",
    "if (bids[i].attemptOf() > entry.attemptOf()) return i;",
  ),
  noticed(
    "meta/execution-procedure",
    "names one of 64 services that its agent has offered, each as it was when the bid came",
    "meta/ExecutionProcedure.sol",
    "if (known == 0) {",
    "if (place == 0) {",
  ),
  noticed(
    "meta/execution-procedure",
    "does not outlive the attempt that was decided about",
    "meta/market/Awards.sol",
    "if (market.attempt != attempt) {",
    "if (market.attempt < attempt) {",
  ),
  noticed(
    "meta/execution-procedure",
    "spends the decision: it closes no second window of the same attempt",
    "meta/ExecutionProcedure.sol",
    "uint256 nonce = _market.nonces[regulator.agent]++;",
    "uint256 nonce = _market.nonces[regulator.agent];",
  ),
  noticed(
    "collaboration/treasury",
    "sends all of it where the account, or the principal that answers for it, says",
    "collaboration/Treasury.sol",
    "(entry.credit, entry.nonce) = (0, entry.nonce + 1);",
    "entry.nonce = entry.nonce + 1;",
  ),
  noticed(
    "libraries/loss-shares",
    "agrees with its twin; no unit is lost, nobody bears more than it has or a unit off its exact share",
    "libraries/LossShares.sol",
    "order[i] = ((exact % total) << 16) |",
    "order[i] = (exact << 16) |",
  ),
  noticed(
    "collaboration/stake-pool-invariants",
    "conserve every unit: committed ≤ total = Σ contributions; what came in is here, with who left, or slashed",
    "collaboration/StakePool.sol",
    "ledger.sums.total -= amount;",
    "ledger.sums.total -= amount / 2 * 2;",
  ),
  noticed(
    "collaboration/stake-pool-invariants",
    "conserve every unit: committed ≤ total = Σ contributions; what came in is here, with who left, or slashed",
    "collaboration/StakePool.sol",
    "if (ledger.sums.covers != 0) revert PoolStandsBehindBids",
    "if (ledger.sums.covers > 1) revert PoolStandsBehindBids",
  ),
  noticed(
    "collaboration/stake-pool",
    "leaves to the agent what is above the cover",
    "meta/market/Penalties.sol",
    "(ending, taken) = (0, taken - slashed);",
    "(ending, taken) = (0, 0);",
  ),
  noticed(
    "collaboration/treasury",
    "pays a principal a tenth of the bucket's inflow at most, all of them half",
    "collaboration/Treasury.sol",
    "(entry.bucket, entry.premiums) = (uint32(grants.number), had + paid);",
    "(entry.bucket, entry.premiums) = (uint32(grants.number), paid);",
  ),
  noticed(
    "collaboration/modules/guardian",
    "is a monitor's or the executor's own, while its clock runs",
    "collaboration/Guard.sol",
    "if (block.timestamp >= w.deadline) revert ICollaborationContract.WindowClosed(node, w.deadline);\n            if (",
    "if (",
  ),
  noticed(
    "meta/evidence-registry",
    "draws distinct verifiers outside the excluded principals, the same for one seed",
    "meta/EvidenceRegistry.sol",
    "contains(uint160(principal))) return",
    "contains(0)) return",
  ),
  noticed(
    "meta/legislation/ballots",
    "takes a signature until the second it names, and not after",
    "libraries/Signatures.sol",
    "if (block.timestamp > deadline) revert Expired(deadline);",
    "if (block.timestamp > uint256(deadline) + 1) revert Expired(deadline);",
  ),
  noticed(
    "meta/constitutional-validator",
    "lets work be anchored later where risk is not high, and no later than a start is waited for",
    "meta/ConstitutionalValidator.sol",
    "header.risk == Risk.HIGH ? 0 :",
    "header.risk == Risk.HIGH ? 1 :",
  ),
  ...CHECKPOINTS,
  ...WORDS,
];

const THROUGH_ATTACKS: readonly Mutant[] = ATTACKS.map(({ theme, title, file, find, replace }) => ({
  file,
  find,
  replace,
  killedBy: { file: `test/attacks/${theme}.test.ts`, test: title },
}));

export const MUTANTS: readonly Mutant[] = [...THROUGH_INVARIANTS, ...THROUGH_BEHAVIOUR, ...THROUGH_ATTACKS];
