import { expect } from "chai";
import { WithheldSecrets } from "../../../src/host/project/withheld-secrets.js";
import { makeFolder, writeTree } from "../../workspace/make-folder.js";

const open = (tree: Readonly<Record<string, string>>, environment: NodeJS.ProcessEnv = {}) => {
    const root = makeFolder(tree);
    return { root, secrets: new WithheldSecrets({ root, environment, keys: new Set() }) };
};

describe("Withheld secrets", () => {
    it("Values of the project's secret files and of the environment are withheld", () => {
        const { secrets } = open(
            { ".env": "TOKEN=zebra-kitten-91\nDEBUG=true\n", "sub/token.txt": "otter-button-58\n" },
            { DB_PASS: "walrus-mitten-37", REGION: "us-east-1", LEVEL: "walrus-level-1" }
        );
        const text = "zebra-kitten-91 true walrus-mitten-37 us-east-1 walrus-level-1";
        expect(secrets.text(text)).to.equal(
            "[secret withheld] true [secret withheld] us-east-1 walrus-level-1"
        );
    });

    it("What a check prints to continue a turn is stored and sent without secrets", () => {
        const { secrets } = open({ ".env": "TOKEN=zebra-kitten-91\n" });
        const text = "`npm test` must exit with 0. Its output:\nTOKEN=zebra-kitten-91";
        const entry = { kind: "host_note", id: "1", at: 0, text } as const;
        const record = secrets.record({ type: "entry_added", entry });
        expect(JSON.stringify(record)).to.contain("TOKEN=[secret withheld]").not.contain("zebra");
    });

    it("A stored result stays what it is, though a line or a field is named like a secret", () => {
        const { secrets } = open({});
        const stored = (data: object) => {
            const content = JSON.stringify({ ok: true, data });
            const call = { kind: "tool_result", callId: "c", name: "n", intent: "" } as const;
            const entry = { ...call, id: "1", at: 0, ok: true, durationMs: 1, content };
            const record = secrets.record({ type: "entry_added", entry });
            const isResult = "entry" in record && record.entry.kind === "tool_result";
            return isResult && JSON.parse(record.entry.content).data;
        };
        const example = { stdout: "API_TOKEN=\nPORT=8080\nPASSWORD=true\nHOST=db-9.local\n" };
        expect(stored(example)).to.deep.equal(example);
        expect(stored({ user: { token: "aB3dE5fG7hJ9kL1mN2pQ", n: 1 } })).to.deep.equal({
            user: { token: "[secret withheld]", n: 1 },
        });
    });

    it("A secret file that appears later counts as well", async () => {
        const { root, secrets } = open({});
        expect(secrets.text("zebra-kitten-91")).to.equal("zebra-kitten-91");
        writeTree(root, { ".env": "TOKEN=zebra-kitten-91\n" });
        for (let text = ""; text !== "[secret withheld]";) {
            await new Promise((resolve) => setTimeout(resolve, 100));
            text = secrets.text("zebra-kitten-91");
        }
    });

    it("What the user lets the model read is withheld no longer, and nothing else", () => {
        const { secrets } = open({
            ".env": "TOKEN=zebra-kitten-91\nKEY=ghp_abcdefghij1234567890\n",
            ".env.local": "TOKEN=otter-button-58\n",
        });
        const text = "zebra-kitten-91 ghp_abcdefghij1234567890 otter-button-58";
        expect(secrets.text(text)).not.to.match(/zebra|ghp|otter/);
        secrets.release(".env");
        expect(secrets.text(text)).to.equal(
            "zebra-kitten-91 ghp_abcdefghij1234567890 [secret withheld]"
        );
    });

    it("A provider's key stays withheld, whatever file shows it", () => {
        const root = makeFolder({ ".env": "KEY=zebra-kitten-91\n" });
        const keys = new Set(["zebra-kitten-91"]);
        const secrets = new WithheldSecrets({ root, environment: {}, keys });
        secrets.release(".env");
        expect(secrets.text("KEY=zebra-kitten-91")).to.equal("KEY=[secret withheld]");
    });
});
