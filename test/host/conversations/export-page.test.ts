import { createHash } from "node:crypto";
import { expect } from "chai";
import { parseDocument } from "htmlparser2";
import { exportText } from "../../../src/host/conversations/export-conversation.js";
import { exportPage } from "../../../src/host/conversations/export-page.js";
import type { Entry } from "../../../src/plugin/records.js";

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(2)>"'><svg onload=alert(3)>\u202e`;
const MARKDOWN = [
    HOSTILE,
    "[click](javascript:alert(4)) <javascript:alert(5)> ![x](http://tracker/x.png) [ok](https://example.org/?a=1&b=%22)",
    `\`\`\`js"><script>alert(6)</script>\n${HOSTILE}\n\`\`\``,
    `| ${HOSTILE} | b |\n| --- | --- |\n| [c](data:text/html,x) | \`${HOSTILE}\` |`,
    '[ref]: javascript:alert(7) "onmouseover=alert(8)"\n\n[ref] **bold**',
].join("\n\n");

const contents = new Map<string, Uint8Array>();
function keep(text: string): string {
    const bytes = Buffer.from(text);
    const hash = createHash("sha256").update(bytes).digest("hex");
    contents.set(hash, bytes);
    return hash;
}

const entries: readonly Entry[] = [
    { kind: "user", id: "1", at: 1, mode: "agent", text: HOSTILE, content: [] },
    {
        kind: "assistant",
        id: "2",
        at: 2,
        provider: "p",
        model: HOSTILE,
        status: "complete",
        content: [{ type: "text", text: MARKDOWN }],
        costUsd: 0.25,
    },
    {
        kind: "review",
        id: "3",
        at: 3,
        callId: "c",
        subject: "write",
        status: "denied",
        decidedBy: "user",
        what: HOSTILE,
        reason: HOSTILE,
    },
    {
        kind: "change",
        id: "4",
        at: 4,
        callId: "c",
        files: [
            {
                path: `${HOSTILE}.txt`,
                beforeHash: keep("kept\nold\n"),
                afterHash: keep(`kept\n${HOSTILE}\n`),
            },
            { path: "gone.txt", beforeHash: null, afterHash: "0".repeat(64) },
        ],
    },
    {
        kind: "tool_result",
        id: "5",
        at: 5,
        callId: "c",
        name: "t",
        content: HOSTILE,
        ok: true,
        durationMs: 1,
        intent: HOSTILE,
        summary: HOSTILE,
        display: HOSTILE,
    },
    { kind: "command", id: "6", at: 6, name: "undo", argumentsText: HOSTILE },
];

describe("An exported page", () => {
    const stored = {
        get: async (hash: string) => contents.get(hash) ?? Promise.reject(new Error("swept")),
    };

    function exportedOf(shown: readonly Entry[]) {
        const about = {
            version: 1,
            id: "abc123",
            root: HOSTILE,
            provider: "p",
            model: "m",
            startedAt: 1,
            costUsd: 0.25,
            unpricedRequests: 0,
            evidence: [
                { afterEntry: "6", text: HOSTILE, filesEdited: 1, filesDrafted: 0, checks: [] },
            ],
        } as const;
        return { ...about, entries: shown };
    }

    const page = () => exportPage(exportedOf(entries), stored);

    for (const format of ["html", "md"] as const) {
        it(`A call that was interrupted is in the ${format} export`, async () => {
            const call = { type: "tool-call", callId: "k", name: "shell_run" } as const;
            const input = { command: "make install" };
            const killed: Entry = {
                ...{ kind: "assistant", id: "1", at: 1, provider: "p", model: "m" },
                ...{ status: "complete", content: [{ ...call, input }] },
            };
            const text = await exportText(exportedOf([killed]), format, stored);
            expect(text).to.match(/shell_run make install.* failed|make install.*\(failed\)/);
        });
    }

    it("Nothing in it can run, load or lead to a script, whatever was said", async () => {
        const tags = new Set<string>();
        const attributes: string[] = [];
        const walk = (node: {
            name?: string;
            attribs?: Record<string, string>;
            children?: unknown[];
        }): void => {
            if (node.name !== undefined) tags.add(node.name);
            for (const [name, value] of Object.entries(node.attribs ?? {})) {
                attributes.push(`${name}=${value}`);
            }
            for (const child of node.children ?? []) walk(child as typeof node);
        };
        walk(parseDocument(await page()));
        expect([...tags]).to.not.include.members(["script", "img", "svg"]);
        for (const tag of ["script", "img", "svg", "iframe", "object", "link", "form"]) {
            expect(tags.has(tag), tag).to.equal(false);
        }
        expect(attributes.filter((each) => /^on/.test(each))).to.deep.equal([]);
        const links = attributes.filter((each) => /^(href|src)=/.test(each));
        expect(links).to.deep.equal(["href=https://example.org/?a=1&b=%22"]);
    });

    it("Its policy forbids scripts and requests, and it follows the reader's width and colours", async () => {
        const text = await page();
        expect(text).to.contain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
        expect(text)
            .to.contain('name="viewport" content="width=device-width')
            .and.contain("prefers-color-scheme: dark");
    });

    it("Answers are rendered as Markdown, changes as diffs, and what is no longer stored is named", async () => {
        const text = await page();
        expect(text)
            .to.contain("<strong>bold</strong>")
            .and.contain("<table>")
            .and.contain("$0.25");
        expect(text)
            .to.contain('<span class="removed">-old</span>')
            .and.contain('<span class="added">+&lt;script&gt;');
        expect(text).to.contain("gone.txt: no longer stored");
        expect(text).to.contain("\\u{202e}").and.not.contain("\u202e");
    });
});
