// Checks types, then lints on the same TypeScript program, whose types lint's rules ask for. With
// `--cache`, lint skips unchanged files, though what it reports may depend on types of other files.
import { ESLint } from "eslint";
import ts from "typescript";
import { parser } from "typescript-eslint";

const isCached = process.argv.includes("--cache");
await lint(checkTypes());

/** Returns the program. */
function checkTypes() {
    const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(
        "tsconfig.json",
        { noEmit: true },
        { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} }
    );
    const builder = ts.createIncrementalProgram({ rootNames: fileNames, options });
    const found = [
        ...builder.getOptionsDiagnostics(),
        ...builder.getSyntacticDiagnostics(),
        ...builder.getGlobalDiagnostics(),
        ...builder.getSemanticDiagnostics(),
        // Writes only what the next check may skip.
        ...builder.emit().diagnostics,
    ];
    const host = { ...ts.sys, getCanonicalFileName: (name) => name, getNewLine: () => "\n" };
    report("types", found.length === 0, ts.formatDiagnostics(found, host));
    return builder.getProgram();
}

async function lint(program) {
    const eslint = new ESLint({
        cache: isCached,
        cacheStrategy: "content",
        cacheLocation: "node_modules/.cache/north/eslint",
        overrideConfig: {
            files: ["**/*.ts"],
            languageOptions: { parser: parserWith(program) },
        },
    });
    const results = await eslint.lintFiles(["."]);
    const { format } = await eslint.loadFormatter();
    report(
        "lint",
        results.every(({ errorCount }) => errorCount === 0),
        await format(results)
    );
}

/** Takes files from the program; a service of ESLint's own would read and check all of them again. */
function parserWith(program) {
    return {
        meta: parser.meta,
        parseForESLint: (text, options) =>
            parser.parseForESLint(text, { ...options, projectService: false, programs: [program] }),
    };
}

function report(name, isOk, output) {
    process.stdout.write(`${output}${isOk ? "ok" : "FAILED"}: ${name}\n`);
    if (!isOk) process.exitCode = 1;
}
