import { expect } from "chai";
import { htmlToText } from "../../../../src/builtin/tools/web/html-text.js";

const base = new URL("https://example.org/docs/page.html");

function read(html: string, signal = new AbortController().signal) {
    return htmlToText(html, base, signal);
}

async function textOf(html: string): Promise<string> {
    return (await read(html)).text;
}

describe("Page text", () => {
    it("The text has the page's title, headings and paragraphs", async () => {
        const page = await read(
            "<html><head><title> A &amp; B\n </title></head><body><h1>Head</h1>\n<p>One\n  two</p><p>Three</p></body></html>"
        );

        expect(page).to.deep.equal({
            title: "A & B",
            text: "# Head\n\nOne two\n\nThree",
            isCut: false,
        });
    });

    it("A title of a million pieces is cut, in time that grows with the page only", async () => {
        const { title, text } = await read(`<title>${"a&amp;".repeat(1_000_000)}</title>yes`);
        expect(title).to.have.length(1000);
        expect(text).to.equal("yes");
    });

    it("Scripts, styles, drawings and form choices are left out", async () => {
        expect(
            await textOf(
                "<style>a{}</style><script>if (a < b) {}</script><noscript>no</noscript><svg><title>x</title><text>y</text></svg><select><option>z</select><template>t</template>yes"
            )
        ).to.equal("yes");
    });

    it("Code keeps its whitespace and is marked", async () => {
        expect(
            await textOf(
                "<p>Run <code>a  b</code>:</p><pre><code>if x:\n    y\n</code></pre><p>Done"
            )
        ).to.equal("Run `a b`:\n\n```\nif x:\n    y\n\n```\n\nDone");
    });

    it("Lists are rendered, numbered and nested", async () => {
        expect(
            await textOf(
                "<ul><li>one<ul><li>deep</li></ul></li><li></li><li><p>two</p></li></ul><ol><li>a<li>b</ol>"
            )
        ).to.equal("- one\n  - deep\n\n- two\n\n1. a\n2. b");
    });

    it("Each table row takes a line", async () => {
        expect(await textOf("<table><tr><th>a</th><th>b</th></tr><tr><td>1<td>2</table>")).to.equal(
            "a | b\n1 | 2"
        );
    });

    it("Links name absolute targets unless nobody could fetch them", async () => {
        expect(
            await textOf(
                '<a href="../x?a=1&amp;b=2">rel</a> <a href="#top">top</a> <a href="javascript:x()">js</a> <a href="/i"><img src="i.png"></a> <a href="http://[">bad</a>'
            )
        ).to.equal("[rel](https://example.org/x?a=1&b=2) top js bad");
    });

    it("The main part is used when it is marked", async () => {
        expect(
            await textOf("<nav>Menu</nav><main><h1>Main</h1>text</main><footer>Foot</footer>")
        ).to.equal("# Main\n\ntext");
        expect(await textOf('<p>Menu</p><div role="main"><p>text</p></div><p>Foot')).to.equal(
            "text"
        );
        expect(await textOf("<p>Menu</p><main></main>")).to.equal("Menu");
    });

    it("Broken markup is still readable", async () => {
        expect(await textOf("<p>a<b>b</p></i>c<p>d")).to.equal("ab\n\nc\n\nd");
        expect(await textOf("a < b &amp c &unknown; &#x41;")).to.equal("a < b & c &unknown; A");
        expect(await textOf("")).to.equal("");
    });

    it("A page whose text would be far longer than itself is cut with a notice", async () => {
        const indented = await read("<ul>".repeat(900) + "<li>a".repeat(50_000));
        expect(indented.isCut).to.equal(true);
        expect(indented.text.length).to.be.below(1_100_000);
        const long = new URL(`https://example.org/${"a".repeat(5_000)}/b`);
        const { signal } = new AbortController();
        const linked = await htmlToText('<a href="c">d</a> '.repeat(20_000), long, signal);
        expect(linked.isCut).to.equal(true);
        expect(linked.text.length).to.be.below(1_100_000);
    });

    it("A page nested too deeply is cut with a notice", async () => {
        const page = await read(`top${"<ul><li>".repeat(400_000)}bottom`);

        expect(page.isCut).to.equal(true);
        expect(page.text).to.contain("top").and.not.contain("bottom");
    });

    it("A cancel stops the conversion", async () => {
        const controller = new AbortController();
        const reading = read("<p>word</p>".repeat(400_000), controller.signal);
        controller.abort();

        const error: unknown = await reading.catch((reason: unknown) => reason);

        expect(error).to.include({ name: "AbortError" });
    });
});
