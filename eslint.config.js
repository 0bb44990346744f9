import prettier from "eslint-config-prettier";
import regexp from "eslint-plugin-regexp";
import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["dist/", "build/", "node_modules/", "test/fixtures/", "**/dist/"] },
    ...tseslint.configs.recommended,
    prettier,
    {
        files: ["**/*.ts"],
        languageOptions: { parserOptions: { projectService: true } },
        rules: {
            "@typescript-eslint/no-floating-promises": "error",
            "@typescript-eslint/no-misused-promises": "error",
            "@typescript-eslint/await-thenable": "error",
            "@typescript-eslint/no-unnecessary-type-assertion": "error",
            "@typescript-eslint/only-throw-error": "error",
            // A body on the line of its condition has no braces, any other has them.
            curly: ["error", "multi-line", "consistent"],
            "@typescript-eslint/consistent-type-imports": [
                "error",
                { fixStyle: "inline-type-imports" },
            ],
            "@typescript-eslint/no-explicit-any": "error",
            "@typescript-eslint/no-unused-vars": [
                "error",
                { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
            ],
            "@typescript-eslint/no-unused-expressions": "off",
            eqeqeq: ["error", "always", { null: "ignore" }],
        },
    },
    {
        // CommonJS, which starts faster.
        files: ["bin/*.js"],
        rules: { "@typescript-eslint/no-require-imports": "off" },
    },
    {
        // An async handler of a test's server rejects loudly: mocha fails on it.
        files: ["test/**/*.ts", "plugins/*/test/**/*.ts"],
        rules: {
            "@typescript-eslint/no-misused-promises": [
                "error",
                { checksVoidReturn: { arguments: false } },
            ],
        },
    },
    {
        files: ["src/**/*.ts", "plugins/*/src/**/*.ts"],
        plugins: { regexp },
        rules: {
            // What comes from outside is matched in linear time.
            "regexp/no-super-linear-backtracking": ["error", { report: "certain" }],
            "regexp/no-super-linear-move": ["error", { report: "certain" }],
        },
    },
    {
        files: ["src/**/*.ts"],
        rules: {
            "@typescript-eslint/no-non-null-assertion": "error",
            "no-console": "error",
            "no-restricted-syntax": [
                "error",
                {
                    selector:
                        "CallExpression[callee.object.name='Promise'][callee.property.name='race'] " +
                        "CallExpression[callee.name=/^(setTimeout|sleep)$/]",
                    message: "The timer outlives the race; use within of base.",
                },
                {
                    selector:
                        "ImportDeclaration[source.value='node:timers/promises'] [imported.name='setTimeout']",
                    message: "Use sleep of base.",
                },
            ],
            "no-restricted-properties": [
                "error",
                {
                    object: "URL",
                    property: "canParse",
                    message: "Wrong in Node 20 and 22 once optimized; use parseUrl of base.",
                },
                {
                    object: "process",
                    property: "exit",
                    message: "Set process.exitCode or throw; buffered output must not be lost.",
                },
                {
                    object: "AbortSignal",
                    property: "timeout",
                    message: "Node 20 collects its timer as garbage; use withTimeLimit of base.",
                },
            ],
        },
    }
);
