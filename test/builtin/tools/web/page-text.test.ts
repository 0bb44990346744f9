import { expect } from "chai";
import { decodePage, pageType } from "../../../../src/builtin/tools/web/fetch-page.js";
import { isExpectedError } from "../../../../src/base/north-error.js";

function decode(bytes: Uint8Array, contentType: string): string {
    return decodePage(bytes, pageType({ "content-type": contentType }));
}

const latin1 = (text: string) => Buffer.from(text, "latin1");

describe("Page encoding", () => {
    it("The charset of the header decides", () => {
        expect(decode(latin1("café"), "text/html; charset=ISO-8859-1")).to.equal("café");
        expect(decode(Buffer.from("café"), 'text/html; charset="UTF-8"')).to.equal("café");
        expect(decode(Buffer.from([0x82, 0xa0]), "text/plain; charset=shift_jis")).to.equal("あ");
    });

    it("Without a charset in the header the page's own declaration decides", () => {
        const html = '<html><meta charset="windows-1252"><p>café';
        const old =
            '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"><p>café';
        const xml = '<?xml version="1.0" encoding="iso-8859-1"?><a>café</a>';
        expect(decode(latin1(html), "text/html")).to.equal(html);
        expect(decode(latin1(old), "text/html")).to.equal(old);
        expect(decode(latin1(xml), "application/xml")).to.equal(xml);
    });

    it("A byte order mark overrides everything else", () => {
        expect(decode(Buffer.from("\uFEFFhé", "utf16le"), "text/plain; charset=utf-8")).to.equal(
            "hé"
        );
        expect(decode(Buffer.from("\uFEFFhé"), "text/plain; charset=latin1")).to.equal("hé");
    });

    it("Without a valid charset the page is read as UTF-8", () => {
        expect(decode(Buffer.from("é"), "text/plain")).to.equal("é");
        expect(decode(Buffer.from("é"), "text/plain; charset=klingon")).to.equal("é");
        expect(decode(Buffer.from('<meta charset="utf-16">é'), "text/html")).to.contain("é");
    });
});

describe("Page types", () => {
    it("Text, JSON and XML are accepted in any of their forms", () => {
        for (const type of [
            "text/html",
            "TEXT/HTML; charset=utf-8",
            "text/markdown",
            "application/json",
            "application/ld+json",
            "application/xml",
            "application/atom+xml",
            "application/xhtml+xml",
        ]) {
            expect(() => pageType({ "content-type": type }), type).not.to.throw();
        }
    });

    it("Any other type is refused by name and size", () => {
        for (const type of [
            "image/png",
            "application/octet-stream",
            "application/pdf",
            "nonsense",
        ]) {
            let error: unknown;
            try {
                pageType({ "content-type": type, "content-length": "1234" });
            } catch (thrown) {
                error = thrown;
            }
            expect(isExpectedError(error) && error.code, type).to.equal("unsupported-type");
            expect(String(error)).to.contain(type).and.contain("(1 KB)");
        }
    });
});
