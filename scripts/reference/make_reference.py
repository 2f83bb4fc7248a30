"""Writes test/fixtures/reference/tf-idf.json: what scikit-learn makes of our own inputs.

Debian 12: apt-get install -y python3-sklearn (scikit-learn 1.2.1, numpy 1.24.2; other versions may order
ties among equally frequent terms otherwise), then /usr/bin/python3 scripts/reference/make_reference.py
"""

import json
import pathlib
import random

import numpy
import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "test" / "fixtures" / "reference"

SENTENCES = [
    "The lighthouse keeper's café opens at six, and the KEEPER pours the coffee himself.",
    "A garden gate in the rain; the gate squeaks, the garden waits.",
    "Naïve readers trust gate_2 more than gate_1 - or so the notice says.",
    "日本語 の庭 garden notes, translated twice",
    "Straße, STRASSE and strasse: one road, three spellings.",
    "I do it, we do it, they do it.",
    "",
    "?! ... --",
    "x y z a b c",
    "An old sailor mends a net by the harbour wall, humming to himself.",
    "The harbour wall keeps the sea out; the sea keeps the sailor in.",
    "Bread, bread, bread and a little butter for the harbour children.",
    "Children of the harbour collect shells, ropes and old bread for the gulls.",
    "Snow fell on the observatory, and the telescope pointed at its own dome.",
    "The telescope, the dome, the observatory: the astronomer counts them like sheep.",
    "Sheep do not count astronomers, however often the dome turns.",
    "In 1999 the ferry sank; in 2004 the ferry was raised; in 2010 it sank again.",
    "Über den Dächern: the cat walks, the cat sleeps, the cat complains.",
    "Complaints about the cat go to the café, where the keeper files them under coffee.",
    "ΣΊΣΥΦΟΣ rolled the stone; σίσυφος rolled it back.",
    "E-mail, e-mails and email arrive at the observatory by ferry.",
    "The net holds the sea, the gate holds the garden, the dome holds the sky.",
    "Don't, won't, can't: the keeper's three rules for the children.",
    "Coffee coffee café cafe\u0301 coffee",
]
QUERIES = [
    "the garden gate keeper the",
    "coffee at the harbour café",
    "astronomer telescope snow 1999 ferry",
    "Σίσυφος STRASSE 日本語",
    "children children bread unknownword",
    "the and of",
    "",
]
ADDED = [
    "A gull steals bread from the café; the keeper sighs.",
    "Entirely unseen vocabulary here",
    "The ferry brings coffee, nets and sheep to the harbour.",
]


def generated(count):
    """Documents of made-up words, a few common and most rare, with stop words between them: more than 1000 terms."""
    draw = random.Random(7)
    syllables = ["ba", "ke", "li", "mo", "nu", "ra", "si", "to", "ve", "zu", "pra", "ste"]
    words = ["".join(draw.choice(syllables) for _ in range(draw.randint(2, 4))) for _ in range(2500)]
    stops = ["the", "and", "of", "with", "not"]
    return [
        " ".join(draw.choice(stops if draw.random() < 0.2 else words[: 1 + int(len(words) * draw.random() ** 3)]) for _ in range(draw.randint(8, 40)))
        for _ in range(count)
    ]


def tf_idf_case(name, documents, queries, added=(), keep=None, **settings):
    vectorizer = TfidfVectorizer(**settings)
    matrix = vectorizer.fit_transform(documents)
    asked = vectorizer.transform(queries)
    rows = cosine_similarity(asked, matrix)
    case = {
        "name": name,
        "maxFeatures": settings.get("max_features"),
        "stopWords": settings.get("stop_words"),
        "documents": documents,
        "queries": queries,
        "terms": len(vectorizer.vocabulary_),
    }
    if keep is None:
        case["idf"] = {term: vectorizer.idf_[i] for term, i in sorted(vectorizer.vocabulary_.items())}
        case["similarities"] = rows.tolist()
    else:
        case["vocabulary"] = sorted(vectorizer.vocabulary_)
        case["best"] = [
            [[int(i), float(row[i])] for i in numpy.argsort(-row, kind="stable")[:keep] if row[i] > 0] for row in rows
        ]
    if added:
        case["added"] = list(added)
        case["addedSimilarities"] = cosine_similarity(asked, vectorizer.transform(added)).tolist()
    return case


def tf_idf():
    large = generated(600)
    large_queries = generated(620)[600:]
    return {
        "made": f"scikit-learn {sklearn.__version__}, numpy {numpy.__version__}",
        "cases": [
            tf_idf_case("defaults", SENTENCES, QUERIES, ADDED),
            tf_idf_case("stop words", SENTENCES, QUERIES, ADDED, stop_words="english"),
            tf_idf_case("30 terms", SENTENCES, QUERIES, ADDED, max_features=30),
            tf_idf_case(
                "1000 terms, stop words", large, large_queries, keep=10, max_features=1000, stop_words="english"
            ),
        ],
    }


text = json.dumps(tf_idf(), ensure_ascii=False, separators=(",", ":"))
(FOLDER / "tf-idf.json").write_text(text + "\n", encoding="utf-8")
