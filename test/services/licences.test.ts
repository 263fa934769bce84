import { expect } from "chai";
import fc from "fast-check";
import licenceByHeadings, { familyByHeadings } from "../../services/licence-by-headings.ts";
import { familyOfExpression } from "../../services/licence-by-spdx.ts";
import licenceByText, { familyOfWording } from "../../services/licence-by-text.ts";
import type { Item, Service } from "../../services/shared/contract.ts";
import { topicOf } from "../../services/shared/topics.ts";

const MIT_GRANT =
  "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files " +
  "to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software";
const BSD_GRANT =
  "Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met: " +
  "1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.";
const BSD_NAME =
  "Neither the name of X nor the names of its contributors may be used to endorse or promote products derived from this software without permission.";
const ISC_GRANT = "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted";
const ISC_NOTICE = ", provided that the above copyright notice and this permission notice appear in all copies.";

describe("services/licence-by-spdx", () => {
  it("reads expressions: OR offers the most permissive, AND binds to the strictest, WITH changes nothing", () => {
    const families = {
      MIT: "MIT",
      mit: "MIT",
      "(MIT OR CC0-1.0)": "MIT",
      "GPL-3.0-or-later OR MIT": "MIT",
      "MIT AND GPL-2.0-only": "GPL",
      "MIT OR (Apache-2.0 AND LGPL-3.0)": "MIT",
      "(MPL-2.0 OR EPL-2.0) AND BSD-3-Clause": "MPL-2.0",
      "GPL-2.0-only WITH Classpath-exception-2.0": "GPL",
      "AGPL-3.0-only": "AGPL",
      "LGPL-2.1+": "LGPL",
      "CC0-1.0": "public-domain",
      Unlicense: "public-domain",
      "Apache 2.0": "Apache-2.0",
      "Apache License, Version 2.0": "Apache-2.0",
      BSD: "BSD-3-Clause",
      UNLICENSED: "proprietary",
      "SEE LICENSE IN LICENSE.txt": "proprietary",
      "Python-2.0": "other",
      "": "unknown",
      "((MIT": "other",
      "MIT OR": "other",
      ")": "other",
    };
    for (const [expression, family] of Object.entries(families)) expect(familyOfExpression(expression), expression).to.equal(family);
  });

  it("answers any text at once", () => {
    const token = fc.constantFrom("MIT", "GPL-3.0", "(", ")", "OR", "AND", "WITH", " ", "x", "\n");
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
        expect(familyOfExpression(tokens.join(" "))).to.be.a("string");
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe("services/licence-by-text", () => {
  it("tells families apart by what only they say", () => {
    expect(familyOfWording(`Copyright X\n${MIT_GRANT}`)).to.equal("MIT");
    expect(familyOfWording(ISC_GRANT + ISC_NOTICE)).to.equal("ISC");
    expect(familyOfWording(`${ISC_GRANT}. The software is provided as is.`)).to.equal("0BSD");
    expect(familyOfWording(BSD_GRANT)).to.equal("BSD-2-Clause");
    expect(familyOfWording(`${BSD_GRANT} ${BSD_NAME}`)).to.equal("BSD-3-Clause");
    expect(familyOfWording("GNU LESSER GENERAL PUBLIC LICENSE Version 3, 29 June 2007")).to.equal("LGPL");
    expect(familyOfWording("GNU GENERAL PUBLIC LICENSE Version 2, June 1991")).to.equal("GPL");
    expect(
      familyOfWording("Apache License\nVersion 2.0, January 2004\n\nTERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION"),
    ).to.equal("Apache-2.0");
  });

  it("forgives small edits, and says other or unknown when nothing fits", () => {
    expect(familyOfWording(MIT_GRANT.replace("this software", "this work").replace("and/or sell", "or sell"))).to.equal("MIT");
    expect(familyOfWording("You may read this on Tuesdays. ".repeat(10))).to.equal("other");
    expect(familyOfWording("MIT")).to.equal("unknown");
    expect(familyOfWording("")).to.equal("unknown");
  });
});

describe("services/licence-by-headings", () => {
  const at = (fields: object) => familyByHeadings({ id: "x", ...fields });

  it("reads titles first, then openings, file names, the readme's section, badges and the manifest", () => {
    expect(at({ licenceText: `The ISC License\n\n${MIT_GRANT}` })).to.equal("ISC");
    expect(at({ licenceText: `Copyright (c) 2014 MIT Somebody\n\n${BSD_GRANT}` })).to.equal("BSD-3-Clause");
    expect(at({ licenceText: "Something long that has no name", licenceFiles: ["LICENSE-MIT"] })).to.equal("MIT");
    expect(at({ readmeLicence: "## License\n\n[Apache-2.0](LICENSE)" })).to.equal("Apache-2.0");
    expect(at({ readmeHead: "# x\n[![licence](https://img.shields.io/badge/license-BSD--2-blue)](x)" })).to.not.equal("unknown");
    expect(at({ licence: "MPL-2.0" })).to.equal("MPL-2.0");
    expect(at({ licenceText: "All rights are reserved by us" })).to.equal("other");
    expect(at({})).to.equal("unknown");
  });

  it("is fooled where a skimmer is: a two-clause text without a title looks like any BSD", () => {
    expect(at({ licenceText: BSD_GRANT })).to.equal("BSD-3-Clause");
    expect(familyOfWording(BSD_GRANT)).to.equal("BSD-2-Clause");
  });

  it("reads licences that are files of a mission's input, and calls notes no licence", () => {
    const file = (id: string, text: string): Item => ({ id, kind: "file", name: id, text });
    const affero =
      "Use with the GNU Affero General Public License version 3. You may combine this with a work under the GNU Affero General Public License.";
    const items = [
      file("GPL-3", `GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n${"Everyone is permitted to copy. ".repeat(30)}${affero}`),
      file(
        "LGPL-2",
        `GNU LIBRARY GENERAL PUBLIC LICENSE\nVersion 2, June 1991\n${"Everyone is permitted to copy. ".repeat(30)}GNU General Public License version 2`,
      ),
      file("CC0", `Creative Commons Legal Code\n\nCC0 1.0 Universal\n\n${"No warranty. ".repeat(20)}`),
      file("notes.md", "The deploy failed again and we looked at the logs. ".repeat(6)),
      file("own", `Company licence. ${"All copying needs our consent in writing before it is done. ".repeat(6)}`),
    ];
    const labels = (service: Service) => {
      const output = service(
        { goal: "", items, upstream: [] },
        { tool: () => Promise.reject(new Error("none")), message: () => undefined },
      );
      return output instanceof Promise ? [] : output.items.map(({ label }) => label);
    };
    expect(labels(licenceByText)).to.deep.equal(["GPL", "LGPL", "public-domain", "unknown", "other"]);
    expect(labels(licenceByHeadings)).to.deep.equal(["GPL", "other", "public-domain", "unknown", "other"]);
  });

  it("names no topic where a text only mentions its words", () => {
    const legal =
      "You may convey verbatim copies of the source code as you receive it, in any medium, provided that you publish an appropriate notice on a server. ";
    expect(topicOf({ id: "GPL-3", name: "GPL-3", text: legal.repeat(10) })).to.equal("unknown");
    const web = "The browser sends the request to our server and the router answers with a page of html and css. ";
    expect(topicOf({ id: "n", name: "n", text: web.repeat(10) })).to.equal("web");
  });
});
