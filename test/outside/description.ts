/**
 * Somebody who makes a client from a city's description, and has nothing of AgentCity's: a validator of OpenAPI documents by others. Prints one
 * line of JSON.
 * usage: node description.ts <url of the city>
 */

// biome-ignore lint/suspicious/noExplicitAny: a package that the city does not depend on
type Json = any;
const [url = ""] = process.argv.slice(2);
const ofOpenApi = "@seriousme/openapi-schema-validator";
const { Validator }: Json = await import(ofOpenApi);
const validator = new Validator();
const { valid, errors = [] } = await validator.validate(await (await fetch(new URL("/openapi.json", url))).json());
console.log(JSON.stringify({ version: validator.version, valid, errors }));
