import { expect } from "chai";
import { violations } from "../../scripts/dev/contract-rules.ts";
import { parseSources } from "../../scripts/dev/solidity-ast.ts";

/** Rules that a contract with this body breaks, with the lines. */
function judge(body: string): string[] {
  const source = `pragma solidity 0.8.33;
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
interface IOther { function read(uint256 x) external view returns (uint256); function pay(uint256 x) external; }
contract Other is IOther {
  using SafeERC20 for IERC20;
  IERC20 token;
  modifier nonReentrant() { _; }
  function read(uint256 x) external pure returns (uint256) { return x; }
  function pay(uint256 x) external nonReentrant { token.safeTransfer(msg.sender, x); }
}
contract C {
  uint256 total; uint64 stored; uint256 constant MASK = 0xff;
  using SafeERC20 for IERC20;
  modifier nonReentrant() { _; }
${body}
}`;
  const found = violations(parseSources(new Map([["contracts/C.sol", source]])));
  return found.map(({ rule, line }) => `${rule} ${line - 16}`);
}

describe("rules of the contracts' code, which `npm run lint` applies to contracts/,", () => {
  it("find a conversion that loses, unless its bound is computed or said", () => {
    expect(judge("  function f(uint256 x) external { stored = uint64(x); }")).to.deep.equal(["narrowing 1"]);
    expect(judge("  function f(uint256 x) external {\n    stored = uint64(x * 2 + 1);\n  }")).to.deep.equal(["narrowing 2"]);
    expect(judge("  function f(uint32 x) external { stored = uint64(uint256(x) * 1e9); }")).to.deep.equal([]);
    expect(judge("  function f(uint256 x) external { stored = uint8(x & MASK); }")).to.deep.equal([]);
    expect(judge("  function f(uint256 x) external { stored = uint8(x & (MASK << 1)); }")).to.deep.equal(["narrowing 1"]);
    expect(judge("  function f(uint256 x) external { stored = uint8(x >> 8); }")).to.deep.equal([]);
    expect(judge("  function f(uint256 x) external { stored = uint8((x * 3) >> 8); }")).to.deep.equal(["narrowing 1"]);
    expect(judge("  function f() external { stored = uint40(block.timestamp + 365 days); }")).to.deep.equal([]);
    expect(judge("  function f(bool b) external { stored = uint8(b ? 255 : block.number); }")).to.deep.equal(["narrowing 1"]);
    expect(judge("  function f(uint256 x) external {\n    // At most a hundred.\n    stored = uint64(x);\n  }")).to.deep.equal([]);
    expect(judge("  function f(uint256 x) external {\n    // At most a hundred.\n\n    stored = uint64(x);\n  }")).to.deep.equal([
      "narrowing 4",
    ]);
  });

  it("find a loop that calls out, or copies the clone's arguments, without a bound", () => {
    const loop = (inside: string, above = "") =>
      `  function f(IOther o, uint256 n) external view returns (uint256 s) {${above}\n    for (uint256 i = 0; i < n; ++i) { ${inside} }\n  }
  function own(uint256 i) private view returns (uint256) { return Clones.fetchCloneArgs(address(this)).length + i; }
  function plain(uint256 i) private pure returns (uint256) { return i; }`;
    expect(judge(loop("s += o.read(i);"))).to.deep.equal(["loop 2"]);
    expect(judge(loop("s += own(i);"))).to.deep.equal(["loop 2"]);
    expect(judge(loop("s += plain(i);"))).to.deep.equal([]);
    expect(judge(loop("s += o.read(i);", "\n    // At most seven.")).length).to.equal(0);
  });

  it("find an entry without the lock that hands control on, also through other contracts", () => {
    expect(judge("  function f(IERC20 t) external { total = 1; t.safeTransfer(msg.sender, 1); }")).to.deep.equal(["lock 1"]);
    expect(judge("  function f(IOther o) external { total = 1; g(o); }\n  function g(IOther o) private { o.pay(1); }")).to.deep.equal([
      "lock 1",
    ]);
    expect(judge("  function f(IERC20 t) external nonReentrant { total = 1; t.safeTransfer(msg.sender, 1); }")).to.deep.equal([]);
    expect(judge("  function f(IOther o) external { total = o.read(1); }")).to.deep.equal([]);
    expect(judge("  function f(address a) external { (bool done, ) = a.call(''); assert(done); }")).to.deep.equal(["lock 1"]);
    expect(
      judge("  /// @dev No lock: nothing is kept.\n  function f(address a) external { (bool done, ) = a.call(''); assert(done); }"),
    ).to.deep.equal([]);
  });

  it("say what the compiler says about what is no Solidity", () => {
    expect(() => judge("  function f( external {}")).to.throw(/ParserError/);
  });
});
