import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text } from "../helpers/vendors/messages-server.js";

const SCHEMA = {
    type: "object",
    properties: { name: { type: "string", pattern: "^[a-z]+$" }, count: { type: "integer" } },
    required: ["name", "count"],
    additionalProperties: false,
};
const GOOD = { name: "north", count: 3 };

describe("--json-schema", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "schema.json": JSON.stringify(SCHEMA) }).reusingProcess();
    });
    afterEach(() => place.remove());

    const run = (...more: string[]) =>
        place.run(["-p", "Count.", "--json-schema", "schema.json", ...more]);

    it("An answer that fits is printed as JSON, also where the model fenced it", async () => {
        await place.serve([reply(text(`\`\`\`json\n${JSON.stringify(GOOD, null, 2)}\n\`\`\``))]);
        const end = await run();
        expect(end).to.deep.include({ code: 0, stdout: `${JSON.stringify(GOOD)}\n`, stderr: "" });
        const sent = JSON.stringify(place.server.requests[0]?.body.messages);
        expect(sent).to.contain("JSON that matches this schema").and.to.contain("^[a-z]+$");
    });

    it("A schema's file may begin with a BOM", async () => {
        const file = path.join(place.repository, "schema.json");
        writeFileSync(file, `\uFEFF${JSON.stringify(SCHEMA)}`);
        await place.serve([reply(text(JSON.stringify(GOOD)))]);
        expect((await run()).stdout).to.equal(`${JSON.stringify(GOOD)}\n`);
    });

    it("The model is told once what does not fit, and the value has a key of its own", async () => {
        const bad = JSON.stringify({ name: "North!", other: true });
        await place.serve([reply(text(bad)), reply(text(JSON.stringify(GOOD)))]);
        const end = await run("--output-format", "json");
        expect(end.code).to.equal(0);
        expect(JSON.parse(end.stdout)).to.deep.include({
            structuredOutput: GOOD,
            isError: false,
            turns: 2,
        });
        const told = JSON.stringify(place.server.requests[1]?.body.messages.at(-1));
        expect(told)
            .to.contain("`count` is missing")
            .and.to.contain("`other` is not a known field")
            .and.to.contain("`name` must match");
    });

    it("An answer that does not fit twice fails the run and says where", async () => {
        await place.serve([reply(text("Three.")), reply(text('{"name":"north","count":"3"}'))]);
        const end = await run();
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("--json-schema: the model continues: ");
        expect(end.stderr).to.contain(
            "The answer does not match the schema: `count` must be of type integer."
        );
        expect(JSON.stringify(place.server.requests[1]?.body.messages)).to.contain(
            "The answer is not JSON"
        );
        place.server.assertDone();
    });

    it("A schema on the command line is used, and one that cannot be used is refused before anything is sent", async () => {
        await place.serve([reply(text("[1]"))]);
        const inline = JSON.stringify({ type: "array", items: { type: "integer" } });
        const end = await place.run(["-p", "Count.", "--json-schema", inline]);
        expect(end).to.deep.include({ code: 0, stdout: "[1]\n" });
        for (const wrong of [
            ...["{}}", "gone.json", '{"type":"colour"}', '{"$ref":"#/$defs/a"}'],
            '{"$ref":"https://example.com/a.json"}',
        ]) {
            const refused = await place.run(["-p", "Count.", "--json-schema", wrong]);
            expect(refused, wrong).to.include({ code: 2, stdout: "" });
            expect(refused.stderr, wrong).to.contain("the schema cannot be used");
            expect(refused.stderr, wrong).not.to.contain("ENOENT");
        }
        const chat = await place.run(["--json-schema", inline]);
        expect(chat.code).to.equal(2);
        expect(place.server.requests).to.have.length(1);
    });
});
