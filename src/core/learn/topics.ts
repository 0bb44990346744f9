/** Questions about a project; each answer is a section of its profile. */
export const LEARN_TOPICS = Object.entries({
    "Project Summary":
        "What is this project, who is it for, what are its main uses, and what is out of its scope?",
    "Architecture Map":
        "What are the major modules and entry points, where are they, and who may depend on whom?",
    "Code Style and Conventions":
        "Which habits of naming, layout, formatting, errors and tests does the code follow, and what do its linters demand?",
    "Domain Model Vocabulary":
        "Which terms and types matter in its domain, and where is each of them defined?",
    "Data Flow and State":
        "How does data move through it, what is kept where (files, databases, caches), and who owns that?",
    "External Dependencies":
        "Which frameworks, libraries and services does it rely on, for what, and how are they configured?",
    "Build, Run, and Test Workflow":
        "Which commands install, build, run, test and check it? How do you run a single test?",
    "Hot Spots and Change Patterns":
        "Which parts change most or are largest, and what usually has to be changed together?",
    "Common Tasks Playbook":
        "For the three to six most common changes: which files does each touch, step by step?",
    "Safety Rails and Footguns":
        "What is easy to break, what is generated or must not be edited, and which rules would nobody guess?",
}).map(([title, question]) => ({ title, question }));

export type LearnTopic = (typeof LEARN_TOPICS)[number];
