/**
 * Runs pure functions of the contracts on unknown arguments: what they return, and when they revert, as formulas for z3. It reads the
 * compiler's typed tree of the source that is deployed, so that a proof is about the code and not about a copy of it. It knows the
 * part of the language that codecs and formulas are written in, and throws `Unsupported` for all else.
 */
import { type AstNode, child, children, numberIn, type Source, text, typeOf, walk } from "../../scripts/dev/solidity-ast.ts";
import { type Num, type Theory, wholeNumber } from "./theory.ts";

export interface Bool {
  readonly kind: "bool";
  readonly smt: string;
  readonly constant?: boolean;
}
/** A struct by its fields, an array by its places; shared by reference, as memory is. */
export interface Composite {
  readonly kind: "composite";
  readonly items: Map<string, Value>;
}
export type Value = Num | Bool | Composite;

/** One of the ways a run ends. */
export interface Ending {
  /** Formula of the arguments that lead to it. */
  readonly when: string;
  /** What was returned; nothing after a revert. */
  readonly values: readonly Value[];
  /** What the arguments are then: who calls has given structs and arrays in memory, and sees what was written into them. */
  readonly given?: readonly Value[];
  /** Name of the error; `Panic` for what the compiler checks itself. */
  readonly error?: string;
}

/** Stands in for a function whose code is outside the language known here; changes its arguments, or returns. */
export type Stub = (args: readonly Value[], run: Run) => readonly Value[];

export class Unsupported extends Error {
  constructor(what: string) {
    super(`${what} is outside the part of Solidity that proofs read; write a stub, or extend test/proofs/symbolic.ts`);
  }
}

interface Path {
  when: string[];
  variables: Map<number, Value>;
  /** Set once the function has returned; nothing in it for the values of the named results. */
  returned?: { readonly values?: readonly Value[] };
}

/** A path that has ended, inside an expression. */
class Dead extends Error {}

/** Where a value is kept. */
interface Place {
  read(): Value;
  write(value: Value): void;
}

const LIMIT = 64;
const and = (all: readonly string[]) => (all.length === 0 ? "true" : `(and ${all.join(" ")})`);
const not = ({ constant, smt }: Bool) => (constant === undefined ? `(not ${smt})` : `${!constant}`);
const truth = (smt: string): Bool => ({ kind: "bool", smt });

/** The functions of some sources, and the unknowns and definitions that running them has made so far. */
export class Run {
  readonly #declarations = new Map<number, AstNode>();
  readonly #parents = new Map<number, string>();
  /** What user-defined value types are made of, by name. */
  readonly #underlying = new Map<string, string>();
  readonly #lines: string[] = [];
  #fresh = 0;

  readonly theory: Theory;
  readonly #stubs: Readonly<Record<string, Stub>>;

  constructor(sources: readonly Source[], theory: Theory, stubs: Readonly<Record<string, Stub>> = {}) {
    this.theory = theory;
    this.#stubs = stubs;
    for (const { ast } of sources) {
      for (const { node, above } of walk(ast)) {
        const id = numberIn(node, "id");
        if (id === undefined) continue;
        this.#declarations.set(id, node);
        if (node.nodeType === "UserDefinedValueTypeDefinition")
          this.#underlying.set(text(node, "name"), typeOf(child(node, "underlyingType")).name);
        this.#parents.set(
          id,
          text(
            above.findLast(({ nodeType }) => nodeType === "ContractDefinition"),
            "name",
          ),
        );
      }
    }
  }

  /** What z3 has to be given before any formula that this made. */
  get preamble(): string {
    return this.#lines.join("\n");
  }

  /** An unknown number. */
  unknown(bits: number, name = "x"): Num {
    return { kind: "number", bits, smt: this.#declare(this.theory.sort(bits), name, (smt) => this.theory.range(smt, bits)) };
  }

  literal(value: bigint, bits: number): Num {
    return this.theory.literal(value, bits);
  }

  /** The same number in a wider type. */
  widened(a: Num, bits: number): Num {
    return this.#resized(a, bits);
  }

  /** An unknown value of a function's parameter. */
  argument(contract: string, name: string, position: number): Value {
    const parameter = children(child(this.#find(contract, name), "parameters"), "parameters")[position];
    if (parameter === undefined) throw new Error(`${contract}.${name} has no parameter ${position}`);
    return this.#make(child(parameter, "typeName"), (bits, field) => this.unknown(bits, field), text(parameter, "name"));
  }

  /** Every way `contract.name` can end on these arguments. */
  call(contract: string, name: string, args: readonly Value[]): readonly Ending[] {
    return this.#call(this.#find(contract, name), args, []);
  }

  #find(contract: string, name: string): AstNode {
    const found = [...this.#declarations.values()].filter(
      (node) =>
        node.nodeType === "FunctionDefinition" && text(node, "name") === name && this.#parents.get(numberIn(node, "id") ?? -1) === contract,
    );
    if (found.length !== 1 || found[0] === undefined) throw new Error(`${contract} has ${found.length} functions ${name}`);
    return found[0];
  }

  #declare(sort: string, name: string, holds: (smt: string) => string | undefined): string {
    const smt = `${name.replaceAll(/\W/g, "_")}!${this.#fresh++}`;
    this.#lines.push(`(declare-const ${smt} ${sort})`);
    const condition = holds(smt);
    if (condition !== undefined) this.#lines.push(`(assert ${condition})`);
    return smt;
  }

  /** Gives a number a name, so that formulas stay short. */
  #short(bits: number, smt: string, name = "t"): Num {
    return { kind: "number", bits, smt: this.#declare(this.theory.sort(bits), name, (named) => `(= ${named} ${smt})`) };
  }

  /** A value of a type, with `leaf` for each number in it. */
  #make(type: AstNode | undefined, leaf: (bits: number, name: string) => Num, name: string): Value {
    const declared = this.#declarations.get(numberIn(type, "referencedDeclaration") ?? -1);
    if (type?.nodeType === "ArrayTypeName") {
      const length = child(type, "length");
      const count = length === undefined ? undefined : this.#constant(length);
      return composite(
        Array.from({ length: Number(count ?? 0n) }, (_, i) => [`${i}`, this.#make(child(type, "baseType"), leaf, `${name}_${i}`)]),
      );
    }
    if (declared?.nodeType === "StructDefinition") {
      return composite(
        children(declared, "members").map((member) => [
          text(member, "name"),
          this.#make(child(member, "typeName"), leaf, text(member, "name")),
        ]),
      );
    }
    const type_ = typeOf(type).name;
    if (type_ === "bool") {
      const bit = leaf(1, name);
      return bit.constant === undefined
        ? truth(`(= ${bit.smt} ${this.literal(1n, 1).smt})`)
        : { kind: "bool", smt: `${bit.constant === 1n}`, constant: bit.constant === 1n };
    }
    const made = leaf(this.#bitsOf(type_), name);
    if (declared?.nodeType === "EnumDefinition" && made.constant === undefined)
      this.#lines.push(`(assert ${this.#isMember(made, declared)})`);
    return made;
  }

  #bitsOf(type: string): number {
    return bitsOf(this.#underlying.get(type) ?? type);
  }

  #isMember(value: Num, declared: AstNode): string {
    return this.theory.less(value.smt, this.literal(BigInt(children(declared, "members").length), value.bits).smt);
  }

  #constant(node: AstNode): bigint | undefined {
    const value = this.#evaluate(node, { when: [], variables: new Map() }, [], false);
    return value.kind === "number" ? value.constant : undefined;
  }

  // --- Statements ----------------------------------------------------------------------------------------------------

  #call(fn: AstNode, args: readonly Value[], before: readonly string[]): readonly Ending[] {
    const stub = this.#stubs[`${this.#parents.get(numberIn(fn, "id") ?? -1)}.${text(fn, "name")}`];
    if (stub !== undefined) return [{ when: and(before), values: stub(args, this) }];
    const body = child(fn, "body");
    if (body === undefined) throw new Unsupported(`${text(fn, "name")}, which has no code`);
    const variables = new Map<number, Value>();
    const bind = (list: readonly AstNode[], value: (node: AstNode, i: number) => Value) => {
      for (const [i, node] of list.entries()) variables.set(numberIn(node, "id") ?? -1, value(node, i));
    };
    const parameters = children(child(fn, "parameters"), "parameters");
    bind(parameters, (node, i) => this.#as(typeOf(node).name, args[i] ?? this.#zero(node)));
    const results = children(child(fn, "returnParameters"), "parameters");
    bind(results, (node) => this.#zero(node));

    const ended: Ending[] = [];
    const paths = this.#statement(body, { when: [...before], variables }, ended, false);
    for (const path of paths) {
      const values = path.returned?.values ?? results.map((node) => path.variables.get(numberIn(node, "id") ?? -1) ?? this.#zero(node));
      const given = parameters.map((node) => path.variables.get(numberIn(node, "id") ?? -1) ?? this.#zero(node));
      ended.push({ when: and(path.when), values: values.map((value, i) => this.#as(typeOf(results[i]).name, value)), given });
    }
    return ended;
  }

  #zero(declaration: AstNode): Value {
    return this.#make(child(declaration, "typeName"), (bits) => this.literal(0n, bits), text(declaration, "name"));
  }

  /** The paths that go on, or have returned, after a statement. */
  #statement(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): readonly Path[] {
    if (path.returned !== undefined) return [path];
    try {
      return this.#follow(node, path, ended, unchecked);
    } catch (error) {
      if (error instanceof Dead) return [];
      throw error;
    }
  }

  #follow(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): readonly Path[] {
    switch (node.nodeType) {
      case "Block":
      case "UncheckedBlock": {
        let paths: readonly Path[] = [path];
        for (const inner of children(node, "statements")) {
          paths = paths.flatMap((each) => this.#statement(inner, each, ended, unchecked || node.nodeType === "UncheckedBlock"));
        }
        return paths;
      }
      case "ExpressionStatement":
        this.#evaluate(must(child(node, "expression")), path, ended, unchecked);
        return [path];
      case "VariableDeclarationStatement": {
        const initial = child(node, "initialValue");
        const [declaration] = children(node, "declarations");
        if (declaration === undefined || children(node, "declarations").length > 1)
          throw new Unsupported("a declaration of several variables");
        const value = initial === undefined ? this.#zero(declaration) : this.#evaluate(initial, path, ended, unchecked);
        path.variables.set(numberIn(declaration, "id") ?? -1, this.#as(typeOf(declaration).name, value));
        return [path];
      }
      case "Return": {
        const expression = child(node, "expression");
        if (expression === undefined) return [{ ...path, returned: {} }];
        const parts = expression.nodeType === "TupleExpression" ? children(expression, "components") : [expression];
        const values = parts.map((part) => this.#evaluate(part, path, ended, unchecked));
        return [{ ...path, returned: { values } }];
      }
      case "RevertStatement":
        ended.push({
          when: and(path.when),
          values: [],
          error:
            text(child(child(node, "errorCall"), "expression"), "name") ||
            text(child(child(node, "errorCall"), "expression"), "memberName"),
        });
        return [];
      case "IfStatement": {
        const [yes, no] = this.#fork(must(child(node, "condition")), path, ended, unchecked);
        const otherwise = child(node, "falseBody");
        return [
          ...(yes ? this.#statement(must(child(node, "trueBody")), yes, ended, unchecked) : []),
          ...(no ? (otherwise ? this.#statement(otherwise, no, ended, unchecked) : [no]) : []),
        ];
      }
      case "ForStatement": {
        const initial = child(node, "initializationExpression");
        let paths = initial === undefined ? [path] : [...this.#statement(initial, path, ended, unchecked)];
        const over: Path[] = [];
        for (let turn = 0; paths.length > 0; turn++) {
          if (turn > LIMIT) throw new Unsupported(`a loop of more than ${LIMIT} turns`);
          paths = paths.flatMap((each) => {
            const [yes, no] = this.#fork(must(child(node, "condition")), each, ended, unchecked);
            if (no) over.push(no);
            const after = yes ? this.#statement(must(child(node, "body")), yes, ended, unchecked) : [];
            over.push(...after.filter(({ returned }) => returned !== undefined));
            const loop = child(node, "loopExpression");
            // The loop's own step is unchecked where the compiler can see that it does not overflow; here it is checked all the same.
            return after
              .filter(({ returned }) => returned === undefined)
              .flatMap((next) => (loop ? this.#statement(loop, next, ended, unchecked) : [next]));
          });
        }
        return over;
      }
      default:
        throw new Unsupported(node.nodeType);
    }
  }

  /** The path on which a condition holds, and the one on which it does not; one of them is missing where the condition is known. */
  #fork(condition: AstNode, path: Path, ended: Ending[], unchecked: boolean): readonly [Path | undefined, Path | undefined] {
    const value = this.#bool(condition, path, ended, unchecked);
    if (value.constant !== undefined) return value.constant ? [path, undefined] : [undefined, path];
    const copy = structuredClone(path);
    path.when.push(value.smt);
    copy.when.push(`(not ${value.smt})`);
    return [path, copy];
  }

  // --- Expressions ---------------------------------------------------------------------------------------------------

  #bool(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Bool {
    const value = this.#evaluate(node, path, ended, unchecked);
    if (value.kind !== "bool") throw new Unsupported(`${node.nodeType} as a condition`);
    return value;
  }

  #number(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Num {
    const value = this.#evaluate(node, path, ended, unchecked);
    if (value.kind !== "number") throw new Unsupported(`${node.nodeType} as a number`);
    return value;
  }

  #evaluate(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const { name: type, id } = typeOf(node);
    const rational = /^t_rational_(\d+)_by_1$/.exec(id)?.[1];
    if (rational !== undefined) return this.literal(BigInt(rational), 256);
    switch (node.nodeType) {
      case "Literal":
        if (text(node, "kind") === "bool") return { kind: "bool", smt: text(node, "value"), constant: text(node, "value") === "true" };
        throw new Unsupported(`the literal ${text(node, "value")}`);
      case "TupleExpression":
        return this.#evaluate(must(children(node, "components")[0]), path, ended, unchecked);
      case "Identifier":
      case "MemberAccess":
      case "IndexAccess":
        return this.#place(node, path, ended, unchecked).read();
      case "Assignment":
        return this.#assign(node, path, ended, unchecked);
      case "UnaryOperation":
        return this.#unary(node, path, ended, unchecked);
      case "BinaryOperation":
        return this.#binary(node, path, ended, unchecked);
      case "Conditional": {
        const condition = this.#bool(must(child(node, "condition")), path, ended, unchecked);
        if (condition.constant !== undefined)
          return this.#evaluate(must(child(node, condition.constant ? "trueExpression" : "falseExpression")), path, ended, unchecked);
        const yes = this.#under(condition.smt, must(child(node, "trueExpression")), path, ended, unchecked);
        const no = this.#under(`(not ${condition.smt})`, must(child(node, "falseExpression")), path, ended, unchecked);
        return this.either(condition.smt, this.#as(type, yes), this.#as(type, no));
      }
      case "FunctionCall":
        return this.#apply(node, path, ended, unchecked);
      default:
        throw new Unsupported(node.nodeType);
    }
  }

  /** An expression that is only evaluated under a condition: what it may panic of, it may only there. */
  #under(condition: string, node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const inner: Path = { when: [...path.when, condition], variables: path.variables };
    const value = this.#evaluate(node, inner, ended, unchecked);
    const more = inner.when.slice(path.when.length + 1);
    if (more.length > 0) path.when.push(`(=> ${condition} ${and(more)})`);
    return value;
  }

  /** One value or the other. */
  either(condition: string, yes: Value, no: Value): Value {
    if (yes.kind === "number" && no.kind === "number") return this.#short(yes.bits, `(ite ${condition} ${yes.smt} ${no.smt})`);
    if (yes.kind === "bool" && no.kind === "bool") return truth(`(ite ${condition} ${yes.smt} ${no.smt})`);
    if (yes.kind !== "composite" || no.kind !== "composite") throw new Unsupported("a choice between values of two kinds");
    return composite([...yes.items].map(([key, item]) => [key, this.either(condition, item, must(no.items.get(key)))]));
  }

  /** Where a name, a field or a place of an array is kept. */
  #place(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Place {
    if (node.nodeType === "Identifier" || this.#isStatic(node)) {
      const id = numberIn(node, "referencedDeclaration") ?? -1;
      if (path.variables.has(id)) return entry(path.variables, id);
      return fixed(this.#named(node, this.#declarations.get(id), path, ended));
    }
    if (node.nodeType === "MemberAccess") {
      const of = this.#composite(must(child(node, "expression")), path, ended, unchecked);
      if (text(node, "memberName") === "length") return fixed(this.literal(BigInt(of.items.size), 256));
      return entry(of.items, text(node, "memberName"));
    }
    if (node.nodeType !== "IndexAccess") throw new Unsupported(`${node.nodeType} as a place`);
    const of = this.#composite(must(child(node, "baseExpression")), path, ended, unchecked);
    const index = this.#number(must(child(node, "indexExpression")), path, ended, unchecked);
    const inside = this.#compare("<", this.#resized(index, 256), this.literal(BigInt(of.items.size), 256));
    this.#require(inside, path, ended);
    if (index.constant !== undefined) return entry(of.items, `${index.constant}`);
    const is = (key: string) => `(= ${index.smt} ${this.literal(BigInt(key), index.bits).smt})`;
    return {
      read: () =>
        [...of.items]
          .map(([key, item]) => ({ key, item }))
          .reduceRight((rest, { key, item }) => ({ key, item: this.either(is(key), item, rest.item) })).item,
      write: (value) => {
        for (const [key, item] of of.items) of.items.set(key, this.either(is(key), value, item));
      },
    };
  }

  /** A constant, a member of an enum, or the limit of a type. */
  #named(node: AstNode, declared: AstNode | undefined, path: Path, ended: Ending[]): Value {
    if (declared?.mutability === "constant")
      return this.#as(typeOf(declared).name, this.#evaluate(must(child(declared, "value")), path, ended, true));
    if (declared?.nodeType === "EnumValue") return this.#enumValue(declared);
    if (text(node, "memberName") === "max") return this.#limit(node);
    throw new Unsupported(`the name ${text(node, "name") || text(node, "memberName")}`);
  }

  #composite(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Composite {
    const value = this.#evaluate(node, path, ended, unchecked);
    if (value.kind !== "composite") throw new Unsupported(`${node.nodeType} as a struct or an array`);
    return value;
  }

  /** A panic unless the condition holds; nothing goes on where it is known not to. */
  #require(condition: Bool, path: Path, ended: Ending[]): void {
    if (condition.constant === true) return;
    ended.push({ when: and([...path.when, not(condition)]), values: [], error: "Panic" });
    if (condition.constant === false) throw new Dead();
    path.when.push(condition.smt);
  }

  /** A member of a type or of a library. */
  #isStatic(node: AstNode): boolean {
    return node.nodeType === "MemberAccess" && /^t_(type|magic_meta_type)/.test(typeOf(child(node, "expression")).id);
  }

  #enumValue(declared: AstNode): Num {
    for (const [, node] of this.#declarations) {
      const place = node.nodeType === "EnumDefinition" ? children(node, "members").indexOf(declared) : -1;
      if (place >= 0) return this.literal(BigInt(place), 8);
    }
    throw new Unsupported(text(declared, "name"));
  }

  /** `type(T).max`. */
  #limit(node: AstNode): Num {
    const name = typeOf(node).name;
    if (!name.startsWith("enum ")) return this.literal((1n << BigInt(this.#bitsOf(name))) - 1n, this.#bitsOf(name));
    const simple = name.replace(/^enum (.*\.)?/, "");
    const declared = [...this.#declarations.values()].find((each) => each.nodeType === "EnumDefinition" && text(each, "name") === simple);
    return this.literal(BigInt(children(declared, "members").length - 1), 8);
  }

  #assign(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const left = must(child(node, "leftHandSide"));
    if (left.nodeType === "TupleExpression") return this.#assignAll(left, must(child(node, "rightHandSide")), path, ended, unchecked);
    const operator = text(node, "operator").slice(0, -1);
    const right = this.#evaluate(must(child(node, "rightHandSide")), path, ended, unchecked);
    const place = this.#place(left, path, ended, unchecked);
    const type = typeOf(left).name;
    let value = this.#as(type, right);
    if (operator !== "") {
      const old = place.read();
      if (old.kind !== "number" || right.kind !== "number") throw new Unsupported(`${operator}= of what is no number`);
      const shift = operator === "<<" || operator === ">>";
      value = this.#operate(operator, old, shift ? right : this.#resized(right, old.bits), path, ended, unchecked);
    }
    place.write(value);
    return value;
  }

  /** Several at once: what is written is read first. */
  #assignAll(left: AstNode, right: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const places = children(left, "components");
    const values = this.#several(right, path, ended, unchecked);
    if (places.length !== values.length) throw new Unsupported("several places that one call fills");
    for (const [i, place] of places.entries()) {
      this.#place(place, path, ended, unchecked).write(this.#as(typeOf(place).name, must(values[i])));
    }
    return composite([]);
  }

  #several(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): readonly Value[] {
    if (node.nodeType !== "Conditional") return children(node, "components").map((each) => this.#evaluate(each, path, ended, unchecked));
    const condition = this.#evaluate(must(child(node, "condition")), path, ended, unchecked);
    const [yes, no] = ["trueExpression", "falseExpression"].map((name) => this.#several(must(child(node, name)), path, ended, unchecked));
    return (yes ?? []).map((value, i) => this.either(condition.kind === "bool" ? condition.smt : "", value, must(no?.[i])));
  }

  #unary(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const inner = must(child(node, "subExpression"));
    const operator = text(node, "operator");
    if (operator === "!") {
      const value = this.#bool(inner, path, ended, unchecked);
      return value.constant === undefined
        ? truth(`(not ${value.smt})`)
        : { kind: "bool", smt: `${!value.constant}`, constant: !value.constant };
    }
    if (operator === "++" || operator === "--") return this.#step(node, inner, path, ended, unchecked);
    const value = this.#number(inner, path, ended, unchecked);
    if (operator === "~") return this.#operate("^", value, this.literal((1n << BigInt(value.bits)) - 1n, value.bits), path, ended, true);
    throw new Unsupported(`the operator ${operator}`);
  }

  #step(node: AstNode, inner: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const place = this.#place(inner, path, ended, unchecked);
    const value = place.read();
    if (value.kind !== "number") throw new Unsupported(`${text(node, "operator")} of what is no number`);
    const next = this.#operate(text(node, "operator").slice(1), value, this.literal(1n, value.bits), path, ended, unchecked);
    place.write(next);
    return node.prefix === true ? next : value;
  }

  #binary(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const operator = text(node, "operator");
    const [left, right] = [must(child(node, "leftExpression")), must(child(node, "rightExpression"))];
    if (operator === "&&" || operator === "||") {
      const a = this.#bool(left, path, ended, unchecked);
      if (a.constant !== undefined) return a.constant === (operator === "||") ? a : this.#bool(right, path, ended, unchecked);
      const b = this.#under(operator === "&&" ? a.smt : `(not ${a.smt})`, right, path, ended, unchecked);
      if (b.kind !== "bool") throw new Unsupported(`${operator} of numbers`);
      return truth(`(${operator === "&&" ? "and" : "or"} ${a.smt} ${b.smt})`);
    }
    const shift = operator === "<<" || operator === ">>";
    const bits = shift ? this.#bitsOf(typeOf(node).name) : this.#bitsOf(commonType(node));
    const a = this.#evaluate(left, path, ended, unchecked);
    const b = this.#evaluate(right, path, ended, unchecked);
    if (a.kind === "bool" && b.kind === "bool") return truth(`(${operator === "==" ? "=" : "distinct"} ${a.smt} ${b.smt})`);
    if (a.kind !== "number" || b.kind !== "number") throw new Unsupported(`${operator} of structs`);
    const [x, y] = [this.#resized(a, bits), shift ? b : this.#resized(b, bits)];
    return /^[<>=!]=?$/.test(operator) ? this.#compare(operator, x, y) : this.#operate(operator, x, y, path, ended, unchecked);
  }

  #compare(operator: string, a: Num, b: Num): Bool {
    if (a.constant !== undefined && b.constant !== undefined) {
      const known = {
        "<": a.constant < b.constant,
        ">": a.constant > b.constant,
        "<=": a.constant <= b.constant,
        ">=": a.constant >= b.constant,
        "==": a.constant === b.constant,
        "!=": a.constant !== b.constant,
      }[operator];
      if (known !== undefined) return { kind: "bool", smt: `${known}`, constant: known };
    }
    const { less } = this.theory;
    if (operator === "==") return truth(`(= ${a.smt} ${b.smt})`);
    if (operator === "!=") return truth(`(distinct ${a.smt} ${b.smt})`);
    if (operator === "<" || operator === ">=") return truth(operator === "<" ? less(a.smt, b.smt) : `(not ${less(a.smt, b.smt)})`);
    return truth(operator === ">" ? less(b.smt, a.smt) : `(not ${less(b.smt, a.smt)})`);
  }

  /** The result; where it leaves its type, a panic, or 2ⁿ less in an unchecked block. */
  #operate(operator: string, a: Num, b: Num, path: Path, ended: Ending[], unchecked: boolean): Num {
    const second = operator === "<<" || operator === ">>" ? this.#resized(b, a.bits) : b;
    const known =
      a.constant !== undefined && second.constant !== undefined ? compute(operator, a.constant, second.constant, a.bits) : undefined;
    if (known !== undefined) return this.literal(known, a.bits);
    const leaves = this.theory.overflow(operator, a, second);
    const checked = leaves !== undefined && (!unchecked || operator === "/" || operator === "%");
    const both = a.constant !== undefined && second.constant !== undefined;
    if (checked) this.#require(both ? { kind: "bool", smt: "false", constant: false } : truth(`(not ${leaves})`), path, ended);
    const exact = checked && this.theory.sort(1) === "Int" ? wholeNumber(operator, a.smt, second.smt) : undefined;
    const smt = exact ?? this.theory.wrapping(operator, a, second);
    if (smt === undefined) throw new Unsupported(`${operator} on whole numbers`);
    const zeros = operator === "<<" && second.constant !== undefined ? Number(second.constant) : 0;
    return { ...this.#short(a.bits, smt), zeros };
  }

  #resized(a: Num, bits: number): Num {
    if (a.bits === bits) return a;
    if (a.constant !== undefined) return this.literal(a.constant & ((1n << BigInt(bits)) - 1n), bits);
    return bits < a.bits ? this.#short(bits, this.theory.resize(a, bits)) : { kind: "number", bits, smt: this.theory.resize(a, bits) };
  }

  /** A value as one of this type: numbers are widened; structs and arrays stay what they are. */
  #as(type: string, value: Value): Value {
    return value.kind === "number" && !OPAQUE.test(type) ? this.#resized(value, this.#bitsOf(type)) : value;
  }

  #apply(node: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const called = must(child(node, "expression"));
    const args = children(node, "arguments");
    if (text(node, "kind") === "typeConversion") return this.#convert(node, must(args[0]), path, ended, unchecked);
    if (text(node, "kind") === "structConstructorCall") throw new Unsupported("a struct written at once");
    if (called.nodeType === "NewExpression") {
      const [length] = args.map((arg) => this.#number(arg, path, ended, unchecked));
      const base = child(child(called, "typeName"), "baseType");
      if (length?.constant === undefined) throw new Unsupported("an array whose length depends on an argument");
      return composite(
        Array.from({ length: Number(length.constant) }, (_, i) => [`${i}`, this.#make(base, (bits) => this.literal(0n, bits), "")]),
      );
    }
    // A user-defined value type and what it is made of are the same word.
    if (/^t_function_(un)?wrap_/.test(typeOf(called).id)) return this.#evaluate(must(args[0]), path, ended, unchecked);
    const fn = this.#declarations.get(numberIn(called, "referencedDeclaration") ?? -1);
    if (fn?.nodeType !== "FunctionDefinition") throw new Unsupported(`the call of ${text(called, "memberName") || text(called, "name")}`);
    const bound = called.nodeType === "MemberAccess" && !this.#isStatic(called) ? [must(child(called, "expression"))] : [];
    const values = [...bound, ...args].map((arg) => this.#evaluate(arg, path, ended, unchecked));
    const endings = this.#call(fn, values, path.when);
    ended.push(...endings.filter(({ error }) => error !== undefined));
    const returns = endings.filter(({ error }) => error === undefined);
    const [first, ...others] = returns;
    if (first === undefined) throw new Unsupported(`${text(fn, "name")}, which never returns`);
    if (others.length > 0 || first.when !== and(path.when)) path.when = [`(or ${returns.map(({ when }) => when).join(" ")})`];
    for (const [i, value] of values.entries()) {
      if (value.kind !== "composite") continue;
      const after = others.reduce((known, { when, given }) => this.either(when, given?.[i] ?? value, known), first.given?.[i] ?? value);
      if (after.kind === "composite") for (const [key, item] of after.items) value.items.set(key, item);
    }
    if (first.values[0] === undefined) return composite([]);
    return others.reduce((value, other) => this.either(other.when, must(other.values[0]), value), first.values[0]);
  }

  #convert(node: AstNode, argument: AstNode, path: Path, ended: Ending[], unchecked: boolean): Value {
    const value = this.#evaluate(argument, path, ended, unchecked);
    if (value.kind !== "number") return value;
    const type = typeOf(node).name;
    const declared = this.#declarations.get(numberIn(child(node, "expression"), "referencedDeclaration") ?? -1);
    if (declared?.nodeType === "EnumDefinition") {
      const member = this.#isMember(value, declared);
      this.#require(truth(member), path, ended);
    }
    return this.#resized(value, this.#bitsOf(type));
  }
}

/** Types that stubs alone look into. */
const OPAQUE = /^bytes( |$)/;

const composite = (items: readonly (readonly [string, Value])[]): Composite => ({ kind: "composite", items: new Map(items) });

function entry<Key>(of: Map<Key, Value>, key: Key): Place {
  return { read: () => must(of.get(key)), write: (value) => void of.set(key, value) };
}

function fixed(value: Value): Place {
  return {
    read: () => value,
    write: () => {
      throw new Unsupported("writing a constant");
    },
  };
}

/** Constants, as the compiler checks them; undefined where it would panic. */
function compute(operator: string, a: bigint, b: bigint, bits: number): bigint | undefined {
  const mask = (1n << BigInt(bits)) - 1n;
  const within = (value: bigint) => (value >= 0n && value <= mask ? value : undefined);
  switch (operator) {
    case "+":
      return within(a + b);
    case "-":
      return within(a - b);
    case "*":
      return within(a * b);
    case "/":
      return b === 0n ? undefined : a / b;
    case "%":
      return b === 0n ? undefined : a % b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "<<":
      return (a << b) & mask;
    case ">>":
      return a >> b;
    default:
      return undefined;
  }
}

function bitsOf(type: string): number {
  const sized = /^(?:u?int|bytes)(\d+)$/.exec(type);
  if (sized?.[1] !== undefined) return type.startsWith("bytes") ? 8 * Number(sized[1]) : Number(sized[1]);
  if (type.startsWith("enum ")) return 8;
  if (type.startsWith("address") || type.startsWith("contract ")) return 160;
  if (type.startsWith("int_const")) return 256;
  throw new Unsupported(`the type ${type}`);
}

function commonType(node: AstNode): string {
  const { commonType: type } = node;
  const name =
    typeof type === "object" && type !== null && "typeString" in type && typeof type.typeString === "string" ? type.typeString : "";
  return name === "bool" ? "uint8" : name;
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the tree lacks a part that the compiler always writes");
  return value;
}
