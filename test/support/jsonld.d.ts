/** The little of the JSON-LD processor that tests use. */
declare module "jsonld" {
  interface Options {
    readonly documentLoader: (url: string) => Promise<unknown>;
    /** What would be dropped for want of a meaning is an error. */
    readonly safe: boolean;
  }
  const jsonld: {
    expand(document: object, options: Options): Promise<object[]>;
    compact(document: object, context: object, options: Options): Promise<object>;
  };
  export default jsonld;
}
