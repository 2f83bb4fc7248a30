/** An article of the built-in encyclopedia: own text, found under a name. */
export interface Article {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** Of a kind of film or a section of a newspaper: words that are usual in it, and the kind that stands nearest. */
  readonly usual?: readonly string[];
  readonly beside?: string;
}

export const ARTICLES: readonly Article[] = [
  {
    name: "1",
    title: "Star (classification)",
    summary:
      "One star out of five marks strong disappointment: the product failed, was not as described, or was a waste of money.",
  },
  {
    name: "2",
    title: "Star (classification)",
    summary: "Two stars out of five mark a product with serious faults and one or two good sides.",
  },
  {
    name: "3",
    title: "Star (classification)",
    summary: "Three stars out of five mark a middling product: acceptable, with good and bad sides in balance.",
  },
  {
    name: "4",
    title: "Star (classification)",
    summary: "Four stars out of five mark a good product with small faults.",
  },
  {
    name: "5",
    title: "Star (classification)",
    summary: "Five stars out of five mark full satisfaction: the product did all that was hoped for.",
  },
  {
    name: "abstract",
    title: "Abstract (summary)",
    summary:
      "An abstract is the short summary in front of a research paper. It names the problem, the approach, the main result and its use.",
  },
  {
    name: "action",
    title: "Action film",
    summary:
      "Action films put physical effort and danger first: chases, fights, explosions and rescues. The hero is pressed for time and faces an enemy with greater means.",
    usual: ["chase", "explosive", "rescue", "alarm", "race", "fight"],
    beside: "violence",
  },
  {
    name: "based on a book",
    title: "Film adaptation",
    summary:
      "A film adaptation carries a written work, most often a novel, over to the screen. Scripts shorten, merge or move scenes, and viewers who know the book tend to compare the two.",
    usual: ["novel", "letters", "island", "governess", "chapter", "library"],
    beside: "classic",
  },
  {
    name: "business",
    title: "Business",
    summary:
      "Business is the making, buying and selling of goods and services for profit. News on it follows companies, markets, jobs, managers, mergers and the economy at large.",
    usual: ["company", "investors", "price", "market", "owner", "sold"],
    beside: "politics",
  },
  {
    name: "citation",
    title: "Citation",
    summary:
      "A citation names the source of a statement. Authors cite earlier work that theirs builds on, compares with or contradicts.",
  },
  {
    name: "classic",
    title: "Classic",
    summary:
      "A classic is a work that is still valued long after its own time and that later works refer to. In film the word is mostly used for titles of the studio years up to the sixties and for older favourites.",
    usual: ["studio", "restored", "captain", "champion", "soldier", "train"],
    beside: "true story",
  },
  {
    name: "comedy",
    title: "Comedy film",
    summary:
      "A comedy sets out to make its audience laugh. It works with exaggeration, misunderstanding, word play and awkward situations, and it usually ends well for its characters.",
    usual: ["wedding", "errors", "laughter", "teacher", "village", "mistaken"],
    beside: "dark comedy",
  },
  {
    name: "computer vision",
    title: "Computer vision",
    summary:
      "Computer vision extracts information from pictures and video, for example which objects are shown and where.",
  },
  {
    name: "crime",
    title: "Crime",
    summary:
      "A crime is an act that the law punishes. Crime news reports thefts, assaults and killings, the work of the police, arrests, trials and sentences.",
    usual: ["police", "arrest", "court", "stolen", "detective", "theft"],
    beside: "politics",
  },
  {
    name: "cryptography",
    title: "Cryptography",
    summary:
      "Cryptography keeps messages secret and unaltered in the presence of others, by means of keys and hard mathematical problems.",
  },
  {
    name: "culture & arts",
    title: "The arts",
    summary:
      "The arts take in painting, sculpture, literature, theatre, dance, classical music and architecture. Arts pages review exhibitions, books and performances and portray artists.",
    usual: ["theatre", "stage", "exhibition", "painting", "music", "festival"],
    beside: "entertainment",
  },
  {
    name: "dark comedy",
    title: "Black comedy",
    summary:
      "Dark comedy, also called black comedy, makes jokes about matters that are usually treated with gravity, such as death, crime or illness. The laughter is meant to leave some discomfort behind.",
    usual: ["funeral", "deadpan", "corpse", "inheritance", "luck", "jokes"],
    beside: "comedy",
  },
  {
    name: "database",
    title: "Database",
    summary:
      "A database is an organized collection of data that programs can query and change. Transactions keep it consistent when many use it at once.",
  },
  {
    name: "dystopia",
    title: "Dystopia",
    summary:
      "A dystopia is an imagined society in which life is oppressed or ruined, by a tyrannical state, by surveillance, by scarcity or after a catastrophe. Such stories often follow one person who begins to resist.",
    usual: ["regime", "ration", "curfew", "surveillance", "factory", "city"],
    beside: "social commentary",
  },
  {
    name: "education",
    title: "Education",
    summary:
      "Education is the passing on of knowledge and skill, in schools, universities and elsewhere. News on it deals with teachers, students, curricula, tests, fees and reforms.",
    usual: ["teachers", "pupils", "school", "class", "lessons", "exam"],
    beside: "parents",
  },
  {
    name: "entertainment",
    title: "Entertainment",
    summary:
      "Entertainment is what holds an audience's attention and gives it pleasure: film, television, music, games and celebrities. News on it tells of releases, awards and the private life of stars.",
    usual: ["series", "actor", "television", "award", "audience", "show"],
    beside: "culture & arts",
  },
  {
    name: "fantasy",
    title: "Fantasy",
    summary:
      "Fantasy is set in worlds where magic, mythical creatures or other impossible things are real. Quests, prophecies and old kingdoms are common, and the world follows rules of its own.",
    usual: ["dragon", "curse", "prophecy", "castle", "magic", "crown"],
    beside: "based on a book",
  },
  {
    name: "film genre",
    title: "Film genre",
    summary:
      "A film genre is a class of films that share subject, setting, mood or form. One film can belong to several, and viewers may put the same film under different ones.",
  },
  {
    name: "food & drink",
    title: "Food and drink",
    summary:
      "Writing on food and drink covers recipes, ingredients, cooking methods, restaurants, wine and other beverages, and the customs that go with eating together.",
    usual: ["chef", "kitchen", "recipe", "menu", "wine", "bread"],
    beside: "travel",
  },
  {
    name: "headline",
    title: "Headline",
    summary:
      "A headline is the line above an article that tells what it is about and invites to read it. Headlines leave out small words, use the present tense and put the news first; some ask a question or promise a list.",
  },
  {
    name: "healthy living",
    title: "Healthy lifestyle",
    summary:
      "Healthy living is the habit of acting for one's own health: sleep, exercise, diet, stress relief, and the prevention of illness of body and mind.",
    usual: ["sleep", "doctor", "patients", "stress", "diet", "walk"],
    beside: "food & drink",
  },
  {
    name: "machine learning",
    title: "Machine learning",
    summary:
      "Machine learning is the study of programs that get better at a task from data. A model is fitted to examples and is then judged on examples that it has not seen.",
  },
  {
    name: "movie",
    title: "Film",
    summary:
      "A film, also called a movie, tells a story or shows a subject in moving pictures with sound. Films are sorted by genre, such as comedy, action or romance, and by theme.",
  },
  {
    name: "natural language processing",
    title: "Natural language processing",
    summary:
      "Natural language processing lets computers work with human language: to classify, search, translate, summarize and write text.",
  },
  {
    name: "neural network",
    title: "Artificial neural network",
    summary:
      "An artificial neural network is a model made of layers of simple units with adjustable weights. It is trained by following the gradient of its error.",
  },
  {
    name: "news",
    title: "News",
    summary:
      "News is information on current events. Newspapers and sites sort it into sections such as politics, business, sports and culture.",
  },
  {
    name: "parents",
    title: "Parenting",
    summary:
      "Parenting is the raising of children from birth to adulthood. Writing for parents is about pregnancy, babies, sleep, discipline, school and the everyday life of families.",
    usual: ["children", "family", "baby", "father", "homework", "playground"],
    beside: "education",
  },
  {
    name: "personalization",
    title: "Personalization",
    summary: "Personalization fits a service to one person, using what is known of that person's behaviour and wishes.",
  },
  {
    name: "politics",
    title: "Politics",
    summary:
      "Politics is how groups reach decisions that bind all of their members. News on politics covers elections, parliaments, governments, parties, laws and foreign affairs.",
    usual: ["vote", "budget", "mayor", "council", "party", "law"],
    beside: "crime",
  },
  {
    name: "psychology",
    title: "Psychology",
    summary:
      "Psychology studies the mind and behaviour: perception, memory, feeling, thought and how people act among others. Films called psychological look at the inner state of a character more than at outer events.",
    usual: ["memory", "guilt", "dream", "patient", "alone", "voices"],
    beside: "twist ending",
  },
  {
    name: "rating scale",
    title: "Rating scale",
    summary:
      "A rating scale asks people to place something on a few ordered steps. On the common scale of five stars, one is the worst and five the best.",
  },
  {
    name: "recommender system",
    title: "Recommender system",
    summary:
      "A recommender system proposes items to a user, from what similar users liked or from the features of what this user liked before.",
  },
  {
    name: "religion",
    title: "Religion",
    summary:
      "Religions are systems of belief, ritual and community that relate people to the sacred. News on religion covers churches, mosques, temples and synagogues, clergy, feasts and questions of faith.",
    usual: ["church", "choir", "parish", "prayer", "priest", "bells"],
    beside: "culture & arts",
  },
  {
    name: "research paper",
    title: "Academic publishing",
    summary:
      "A research paper reports new scholarly work: the question, the method, the results and what they mean. It begins with a title and an abstract.",
  },
  {
    name: "review",
    title: "Review",
    summary:
      "A review is a published judgement of a product, a work or a service. Reviews by customers mostly give a number of stars together with a text that explains it.",
  },
  {
    name: "robotics",
    title: "Robotics",
    summary: "Robotics is the design and use of machines that sense and act in the physical world.",
  },
  {
    name: "romance",
    title: "Romance film",
    summary:
      "A romance follows two people who fall in love and what stands between them: family, distance, class or their own doubts. The relationship itself is the main plot.",
    usual: ["love", "letters", "dance", "kiss", "summer", "stranger"],
    beside: "comedy",
  },
  {
    name: "sci-fi",
    title: "Science fiction",
    summary:
      "Science fiction tells stories that turn on imagined science and technology: travel through space or time, thinking machines, meetings with beings from other worlds, or a changed future. Films of this kind often use the strange setting to ask what people would do under new conditions.",
    usual: ["spaceship", "robot", "orbit", "signal", "planet", "machine"],
    beside: "dystopia",
  },
  {
    name: "science & technology",
    title: "Science and technology",
    summary:
      "Science seeks tested knowledge of nature, and technology puts knowledge to use. News covers research results, space, the climate, computers, phones and the companies that make them.",
    usual: ["data", "software", "researchers", "engine", "trial", "computer"],
    beside: "business",
  },
  {
    name: "social commentary",
    title: "Social commentary",
    summary:
      "Social commentary uses a story to point at faults of a society, such as poverty, injustice, prejudice or the abuse of power, and to make the audience consider change.",
    usual: ["class", "strike", "verdict", "rich", "poor", "work"],
    beside: "thought-provoking",
  },
  {
    name: "sports",
    title: "Sport",
    summary:
      "Sport is physical activity under rules, mostly in competition between persons or teams. News on it reports matches, results, transfers, records and the people behind them.",
    usual: ["match", "team", "coach", "season", "stadium", "goal"],
    beside: "business",
  },
  {
    name: "style & beauty",
    title: "Fashion",
    summary:
      "Style and beauty writing is about clothes, designers, hair, make-up and skin care, and about what well-known people wear.",
    usual: ["dress", "fashion", "hair", "collection", "coat", "season"],
    beside: "entertainment",
  },
  {
    name: "thought-provoking",
    title: "Art film",
    summary:
      "Works called thought-provoking leave their audience with questions on meaning, morals or society rather than with a closed plot. They are often slow, ambiguous and open at the end.",
    usual: ["question", "conscience", "silence", "choice", "meaning", "truth"],
    beside: "psychology",
  },
  {
    name: "title",
    title: "Title (publishing)",
    summary:
      "The title names a work. Titles of research papers state the subject, often with the method or the main result, and some put a short catchword and a colon in front.",
  },
  {
    name: "travel",
    title: "Travel",
    summary:
      "Travel is moving between distant places, for pleasure, work or need. Travel writing tells of destinations, hotels, flights, routes and what is worth seeing.",
    usual: ["train", "harbour", "guests", "hotel", "route", "island"],
    beside: "food & drink",
  },
  {
    name: "true story",
    title: "Based on a true story",
    summary:
      "Films based on a true story retell events that happened, often the life of one person. They change names, merge people and compress time, but claim a core of fact.",
    usual: ["trial", "soldiers", "record", "events", "club", "mine"],
    beside: "social commentary",
  },
  {
    name: "twist ending",
    title: "Twist ending",
    summary:
      "A twist ending is a turn near the close of a story that puts what came before in a new light. It is prepared by hints that are easy to overlook the first time.",
    usual: ["secret", "twist", "disappears", "witness", "stranger", "midnight"],
    beside: "psychology",
  },
  {
    name: "violence",
    title: "Violence in film",
    summary:
      "Graphic violence shows injury and killing openly. It is common in war, crime and horror films, and it is one of the things that age ratings look at.",
    usual: ["blood", "brutal", "siege", "trench", "knife", "gun"],
    beside: "action",
  },
  {
    name: "women",
    title: "Women's interest journalism",
    summary:
      "Pages on women deal with equality, rights, health, work, violence against women and the experience of women in public and private life.",
    usual: ["equality", "maternity", "mother", "founder", "designer", "rights"],
    beside: "parents",
  },
];
