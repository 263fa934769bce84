/** Calls that come back: the attacks of `test/attacks/reentrancy.test.ts`. */
import { type Attack, attacksOf } from "../attack.ts";

export const REENTRANCY: readonly Attack[] = attacksOf("reentrancy", "E", [
  {
    title: "a mission is closed from within a claim, before its executors are paid",
    threats: ["M8"],
    entry: "CollaborationContract.claim",
    guard: "a mission is entered once at a time",
    file: "collaboration/modules/Settlement.sol",
    find: "function claim(uint8[] calldata nodes) external nonReentrant {",
    replace: "function claim(uint8[] calldata nodes) external {",
  },
  {
    title: "a deposit of a token that keeps a part is booked together with one made within it",
    threats: ["M8"],
    entry: "Treasury.deposit",
    guard: "the treasury is entered once at a time",
    file: "collaboration/Treasury.sol",
    find: "function deposit(uint64 fees, uint64 insurance, bytes32 reason) external nonReentrant {",
    replace: "function deposit(uint64 fees, uint64 insurance, bytes32 reason) external {",
  },
  {
    title: "an adjudicator's wallet carries out a disbursement while it is asked whether it signed it",
    threats: ["M8", "TA-8"],
    entry: "AdjudicationProcedure.act",
    guard: "a wallet that is asked cannot change anything",
    file: "libraries/Signatures.sol",
    find: "        if (!SignatureChecker.isValidERC1271SignatureNowCalldata(signer, digest, signature)) {\n            revert InvalidSignature(signer);\n        }\n    }",
    replace: [
      "        function(address, bytes32, bytes calldata) internal view returns (bool) ask;",
      "        function(address, bytes32, bytes calldata) internal returns (bool) loud = _ask;",
      "        assembly {",
      "            ask := loud",
      "        }",
      "        if (!ask(signer, digest, signature)) revert InvalidSignature(signer);",
      "    }",
      "",
      "    function _ask(address signer, bytes32 digest, bytes calldata signature) private returns (bool) {",
      "        if (signer.code.length == 0) return SignatureChecker.isValidSignatureNowCalldata(signer, digest, signature);",
      "        (bool ok, bytes memory answer) = signer.call(",
      '            abi.encodeWithSignature("isValidSignature(bytes32,bytes)", digest, signature)',
      "        );",
      "        return ok && abi.decode(answer, (bytes4)) == 0x1626ba7e;",
      "    }",
    ].join("\n"),
  },
]);
