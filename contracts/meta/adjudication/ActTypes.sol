// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title The EIP-712 type of every human act (decision 85)
/// @notice Generated from orchestrator/protocol/actions.ts by `npm run docs`. One row of 40 bytes for each action after NONE: its type hash,
/// then what `Acts` hashes: flags (1 node, 2 target, 4 case hash instead of salt), and for each word of the data the bytes that it may fill (33 a
/// bool, 34 the hash of what follows the words).
library ActTypes {
    bytes internal constant ROWS =
        // Freeze(address mission,uint8 node,uint8 attempt,string because,uint256 salt,uint40 deadline)
        hex"becc78b16bf1ac18aa38891d82c3c7ce26c6def92bd08cbfa100696e0428024f"
        hex"0101000000000000"
        // Unfreeze(address mission,uint8 node,string because,bytes32 caseHash,uint40 deadline)
        hex"832b762db9be559150a893b9da5c35eea27c7c4ac9a8e8fd50a5416a9c30be92"
        hex"0500000000000000"
        // TerminateMission(address mission,string because,bytes32 caseHash,uint40 deadline)
        hex"75ce2b939328571d58f445f0c4730c24770bc9b88330457a27ee7ce002e2f45e"
        hex"0400000000000000"
        // ApprovePop(address mission,uint8 node,uint256 basis,uint16 share,bytes32 evidence,string because,
        // bytes32 caseHash,uint40 deadline)
        hex"fa965b01399b5ff61af481e608e85cd77722bcbe0e7254df399ab3bbe248883d"
        hex"0520022200000000"
        // RejectPop(address mission,uint8 node,string because,bytes32 caseHash,uint40 deadline)
        hex"37fe8744e65da3cc8549f12ef7ca1416bdb19c6b0b2c3f18f19c9922cc99cb58"
        hex"0500000000000000"
        // AmendParameter(uint8 parameter,uint256 value,string because,uint256 salt,uint40 deadline)
        hex"4aa9f7a71907fb4bc62443c732b8794f5716b963777aad680bb36bb39243397a"
        hex"0001200000000000"
        // AdjustReputation(address agent,int256 delta,string because,uint256 salt,uint40 deadline)
        hex"2cd578ab13252183d1db3bb2e2d3c601841b8960345298c9746b9942180af80c"
        hex"0220000000000000"
        // ClassifyFalsePositive(address mission,address agent,uint256 freeze,string because,bytes32 caseHash,
        // uint40 deadline)
        hex"fc5ef1329163cc09dc9165eee3a5bf481a1ab5f4342f95ae2063cd1c4d8434fa"
        hex"0620000000000000"
        // EmergencyStop(address mission,string because,uint256 salt,uint40 deadline)
        hex"71642a795730fc78690b16942251750916dc401f425a02de877b16babe45ae07"
        hex"0000000000000000"
        // ClearEmergencyStop(address mission,string because,bytes32 caseHash,uint40 deadline)
        hex"f6098ff7e2d3c65ca49165db99cddd6eb79d51c28a0a63822d317e563fee621e"
        hex"0400000000000000"
        // ApprovePredicate(address predicate,uint16 id,string because,uint256 salt,uint40 deadline)
        hex"02c31c1c1d12da4281d9ffffd8907d8fd435a546b9bb716aaa80984479e1c5c5"
        hex"0202000000000000"
        // VetoOutput(address mission,uint8 node,uint8 attempt,string because,uint256 salt,uint40 deadline)
        hex"d8db452f16a3c76b2c4f65dc2fc74ed4bbe6a1dbc32af1eb4b5f559960395ceb"
        hex"0101000000000000"
        // ReleaseOutput(address mission,uint8 node,uint8 slot,bytes32 opening,string because,bytes32 caseHash,
        // uint40 deadline)
        hex"41d657133a065a76973d7cbe80d7e56ff87fd8f27196b449ae6242842771d5c2"
        hex"0501220000000000"
        // ResolveAppeal(address mission,uint8 node,uint8 attempt,uint8 filed,uint16 upheld,uint16 share,uint64 slash,
        // uint8 culprits,string because,bytes32 caseHash,uint40 deadline)
        hex"d1cc2497dd8693f3ca0928381e52f8ed5fa63823c66f5bab7fa7d9718a1e1635"
        hex"0501010202080100"
        // Slash(address agent,uint64 amount,bool ban,string because,uint256 salt,uint40 deadline)
        hex"c0fa85e533c5071e85be3822da921a30a22cc315b1fb803125bf573e31103919"
        hex"0208210000000000"
        // FreezePrincipal(address principal,bool frozen,string because,uint256 salt,uint40 deadline)
        hex"f36d08e0b4d59b7ac645eb423c53959b10d20813c57739dac83f0f66212789ef"
        hex"0221000000000000"
        // ClaimInsurance(address executor,address mission,uint64 loss,string because,uint256 salt,uint40 deadline)
        hex"eb06f10e534e2d8c1ac21f78f1131f7903c4d09ca0d06954bd11aa40aaa79bc1"
        hex"0214080000000000"
        // Disburse(address recipient,uint8 purpose,uint64 amount,string because,uint256 salt,uint40 deadline)
        hex"de0481d592f370a24c7dbabeccf330ab9c2c1b27cbd381ed308174a70ea1e823"
        hex"0201080000000000"
        // ApproveCodification(uint256 session,string because,bytes32 caseHash,uint40 deadline)
        hex"df3cce32a01fd27a470c807125ef255393e4cf9af8ba4435db1cb82f7eb91597"
        hex"0420000000000000"
        // AppointClerk(address clerk,uint8 office,address principal,string because,uint256 salt,uint40 deadline)
        hex"495e107b84497c2a66a23c38713db4a2aaace4a02a137b57703c60be1425f82e"
        hex"0201140000000000"
        // SetEnvelope(uint8 office,uint16 maxPerSession,bytes4[] permitted,string because,uint256 salt,
        // uint40 deadline)
        hex"75a0faf9e877597155b956f876b5c75b261d826c1292d8fa7f92954cf8dc2de1"
        hex"0001022200000000"
        // PublishTemplate(address implementation,bytes32 name,bytes32 auditHash,string because,uint256 salt,
        // uint40 deadline)
        hex"c0a2dfe36d546abff8b5c4e09614f726fbe12d07b1763c30b5ab3bd7bb357baf"
        hex"0220200000000000"
        // RegisterIssuer(address account,uint8 role,address principal,uint16 value,string because,uint256 salt,
        // uint40 deadline)
        hex"ce1efca6f14a0dc68e2baea55986dbce13b6c3ebbf692c286b027bb40f88a2b0"
        hex"0201140200000000"
        // AdmitAdjudicator(address candidate,address principal,string because,uint256 salt,uint40 deadline)
        hex"1d7c55c73289c1114e7c7551f04e0d43d9c8e6f87bb2ddda18086979b4e02470"
        hex"0214000000000000"
        // AmendConstitution(address procedure,uint8 institution,string because,uint256 salt,uint40 deadline)
        hex"a3254d723b66433977550c754c11f394156fe4f58b6b14e4281390e83fdc21f7"
        hex"0201000000000000"
        // RuleOnBloc(uint256 session,bool release,string because,bytes32 caseHash,uint40 deadline)
        hex"0c90a6fb3fdb6c4da628123078c618dcaae7350ad4b646dfa0e0a1cd6bf30a06"
        hex"0420210000000000"
        // Impeach(address adjudicator,string because,uint256 salt,uint40 deadline)
        hex"83d1cf70728db37acaa049a851576cf34a88bdf5c71cfb39ed3bda3f5cc243c6"
        hex"0200000000000000"
        // AuditUnilateral(address senior,bytes32 digest,string because,uint256 salt,uint40 deadline)
        hex"7def73c7d985b1fbf4b2b54edd81d770ad15a57989538d208fa48b97cf6824cd"
        hex"0220000000000000"
        // ReleaseWatchdog(string because,uint256 salt,uint40 deadline)
        hex"0612f465040fcd2ed6084b8a4476a76f87c89d6565a2324a723491a8dd62117b"
        hex"0000000000000000"
        // ResumeWithAmendment(address mission,uint8 node,bytes32 amendment,string because,bytes32 caseHash,
        // uint40 deadline)
        hex"eb98a184472cf9dfd9468bab9359b12e6a40434400a0d210f5a776470fbabd17"
        hex"0520000000000000"
        // SetMandate(uint8 office,bytes32 operation,bytes32 service,bool needsIntermediate,bytes32 schemaHash,
        // string because,uint256 salt,uint40 deadline)
        hex"63704119ebf670c1a727f0b1c215c0f6815060eda9f19fd7f706c6a35e1a99df"
        hex"0001202021200000"
        // FaultSlots(address mission,uint8 node,uint8 attempt,uint8 slots,string because,bytes32 caseHash,
        // uint40 deadline)
        hex"cbe5c9c151d63fcc8a4d414b75ae000500013335a917dfb0160cb8af91370e21"
        hex"0501010000000000"
        // StopCity(string because,uint256 salt,uint40 deadline)
        hex"8d7c59dec3b18e8fd58ea1776350966398af41db571d131fb994f23e862bd1b4"
        hex"0000000000000000"
        // ResumeCity(string because,uint256 salt,uint40 deadline)
        hex"950ccabca0fc0f7ea986abafc3a50e4f4f4bd0056a95fc03ab389de003d27905"
        hex"0000000000000000"
        // FreezeAgent(address agent,bool frozen,string because,uint256 salt,uint40 deadline)
        hex"0827098d4b56610e7c4d3808f8e9eb763a7a4ceaa2ee879e206fd83764ed7319"
        hex"0221000000000000";
}
