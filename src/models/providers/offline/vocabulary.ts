import { countsOf } from "../../../text/count.js";
import { stem, terms, words } from "./words.js";

/** Own word lists: what plots under the usual movie tags talk about. */
const movies: Readonly<Record<string, string>> = {
  "sci-fi": `space spaceship spacecraft alien aliens planet planets galaxy robot robots android cyborg future futuristic
    time-travel technology scientist scientists experiment experiments clone cloned genetic virus mutant mutants earth moon
    mars astronaut astronauts star starship ship crew lab laboratory machine machines computer artificial intelligence
    invasion extraterrestrial dimension parallel universe orbit colony crash wormhole simulation`,
  "based on a book": `novel novelist book adaptation adapted author writer story tale bestselling literary wizard school
    young boarding orphan estate heir governess journal letters chapter boy magical`,
  comedy: `comedy funny hilarious hilarity laugh joke jokes misadventures antics wacky zany slacker buddies buddy friends
    roommate party bachelor wedding vacation road-trip prank pranks goofy clumsy awkward loser losers nerd nerdy coach
    boss office neighbor neighbors in-laws dad mom family comedian bumbling unlikely ensues hijinks mistaken dates girlfriend`,
  action: `agent agents cia mission hitman assassin assassins mercenary mercenaries soldier soldiers army commando special
    forces weapon weapons explosive bomb terrorist terrorists heist chase fight fighter fights battle martial cop cops
    police detective hero villain save stop rescue kidnapped hostage revenge race cars gang superhero enemy enemies train
    bodyguard deadly dangerous elite warrior spy spies nuclear`,
  "twist ending": `mystery mysterious secret secrets investigate investigation disappearance disappeared missing strange
    truth discovers uncover uncovers clues clue suspicious murder memory memories amnesia identity illusion puzzle stranger
    trapped island hotel therapist patient haunted reality detective wife revealed conspiracy paranoia asylum`,
  dystopia: `dystopian dystopia future totalitarian regime society apocalypse apocalyptic post-apocalyptic survivors survive
    survivor wasteland rebel rebels rebellion resistance oppressive government controlled control corporation overpopulated
    plague zombies humanity citizens forbidden arena games ruled ruling district slavery outbreak extinct`,
  "dark comedy": `dark twisted absurd black satire satirical murder corpse dead death funeral suicide dysfunctional eccentric
    quirky hitmen hitman bizarre misfit cynical neurotic botched ransom scheme goes wrong accidentally kills mob inept
    bumbling criminals suburban crooks drug dealer`,
  classic: `classic 1930s 1940s 1950s war casablanca western cowboy sheriff outlaw gunslinger newspaper tycoon gangster
    godfather mafia don monster king empire epic legendary silent musical singer hotel nazi train lady gentleman detective
    private eye millionaire general roman hollywood star aging boxer`,
  psychology: `psychological psychologist psychiatrist psychiatric patient patients mental mind mentally insane insanity
    asylum therapy therapist obsession obsessed obsessive schizophrenia disorder trauma traumatic delusions hallucinations
    personality depressed depression memory memories dreams dream subconscious paranoid madness killer serial isolation
    guilt insomnia addiction identity loneliness`,
  fantasy: `magic magical wizard wizards witch witches dragon dragons kingdom king queen prince princess castle sword
    sorcerer fairy fairies elf elves dwarf quest prophecy curse cursed spell enchanted mythical creature creatures legend
    gods god demon demons vampire vampires werewolf ring realm immortal powers evil world adventure beast`,
  romance: `love loves lover lovers romance romantic relationship affair marriage married marry wedding fiance fiancee
    girlfriend boyfriend couple falls fall heart hearts kiss passion soul mate soulmate dating date woman man meets meet
    bride summer beautiful feelings together husband wife chance paris`,
  "thought-provoking": `life meaning existence philosophical philosophy question questions reality truth death dying mind
    human humanity humans consciousness memory memories freedom faith god choice choices consequences moral morality fate
    time universe dream dreams journey discover lives existential future professor perception`,
  "social commentary": `society social class poor poverty wealthy rich race racial racism racist prejudice discrimination
    inequality corporate corporation corruption corrupt political politics media television consumer consumerism capitalism
    ghetto slums immigrant immigrants black white workers union strike protest system city neighborhood privilege apartheid
    justice injustice activist lawyer`,
  violence: `violent violence brutal blood bloody gang gangs gangster gangsters mob mafia crime criminal criminals drug
    drugs cartel murder murders killer killers killing kill revenge vengeance torture prison inmates gun guns shootout
    massacre slaughter war street serial yakuza savage rape robbery hunt psychopath`,
  "true story": `true real real-life life biopic biography biographical based events history historical story inspired
    year years famous war 1960s 1970s 1980s world career rise journalist activist lawyer mathematician athlete boxer
    football coach team survivor survived holocaust president king leader musician singer scandal american`,
};

/** Own word lists: what the usual news categories are about. */
const news: Readonly<Record<string, string>> = {
  politics: `president white house senate senator congress congressman republican republicans democrat democrats democratic
    gop election elections vote votes voters voting ballot campaign candidate nominee governor mayor attorney administration
    impeachment policy lawmakers lawmaker legislation bill supreme court justice judge ruling federal government party
    conservative liberal progressive trump obama biden clinton pence mcconnell pelosi sanders mueller giuliani immigration
    border sanctions russia russian ukraine iran korea diplomat ambassador minister parliament secretary veto partisan
    political politician constitution constitutional pentagon fbi tweet tweeted tweets conspiracy executive nominee
    inauguration capitol gun nra abortion protesters department officials agency debate`,
  entertainment: `movie film films actor actress star stars celebrity celebrities singer song songs album music concert
    hollywood oscar oscars emmy grammy netflix hbo disney marvel series season episode episodes tv television show shows
    comedian comedy host late-night snl trailer premiere cast character sequel director box drama band rapper pop fans
    broadway kardashian beyonce swift game thrones reality sitcom soundtrack reboot studio animated superhero`,
  sports: `team teams game games season coach player players league nfl nba mlb fifa olympic olympics championship champion
    football basketball baseball soccer tennis quarterback playoff playoffs stadium athlete athletes goal tournament medal
    score win wins fans golf hockey super bowl match sport sports race racing boxer wrestling espn draft`,
  business: `company companies market markets economy economic bank banks investors stock stocks ceo business businesses
    consumer customers profit revenue sales startup entrepreneur entrepreneurs workers employees employer wage wages jobs
    job unemployment industry trade tariffs financial finance wall street fed debt tax retail retailer brand corporate
    merger work workplace leadership marketing management money`,
  crime: `police officer officers cop cops arrested arrest murder murdered killed killing shooting shot gunman suspect suspects
    victim victims charged charges prison jail sentenced convicted guilty robbery assault stabbed attack homicide sheriff
    detective detectives investigators investigation kidnapped rape stolen burglary fatal death dead body bomb fraud custody
    allegedly criminal crime manslaughter`,
  education: `school schools student students teacher teachers teaching classroom college colleges university universities campus
    education educators learning learn curriculum test tests tuition principal kids professor degree graduate graduation
    academic district charter literacy grade`,
  "food & drink": `food foods recipe recipes cook cooking chef chefs restaurant restaurants kitchen eat eating meal dinner
    lunch breakfast bake baking baked cake cookies chocolate coffee tea wine beer cocktail cocktails drink drinks cheese
    chicken salad soup sauce grill bacon pizza burger vegetables vegan flavor delicious taste tasty ingredients dish dishes
    menu snack dessert bread butter`,
  "healthy living": `health healthy sleep stress anxiety depression mental exercise workout fitness yoga meditation
    mindfulness diet weight doctor doctors disease cancer flu virus vaccine covid coronavirus pandemic symptoms patients
    patient medical medicine therapy therapist wellness body brain heart pain habits happiness study risk hospital self-care
    nutrition skin hiv illness`,
  parents: `parent parents parenting kid kids child children baby babies mom moms mother dad dads father toddler toddlers
    newborn pregnancy pregnant birth family families son daughter teen teens bedtime diaper motherhood fatherhood
    breastfeeding nursery adoption grandparents sibling tweets`,
  religion: `god church churches faith religious religion pope catholic christian christians christianity muslim muslims islam
    islamic jewish jews judaism rabbi bishop bishops priest priests pastor prayer prayers pray bible biblical jesus gospel
    spiritual spirituality mosque evangelical evangelicals hindu buddhist vatican holy worship theology sacred synagogue`,
  "science & technology": `scientists scientist science research researchers nasa space planet planets earth mars moon
    astronomers climate species dinosaur fossil physics robot robots ai technology tech app apps iphone apple google facebook
    twitter amazon microsoft internet online users data privacy hackers device devices software digital computer phone
    smartphone video startup engineer battery electric laboratory experiment discovery telescope algorithm`,
  "style & beauty": `fashion style styles dress dresses wear wearing wore outfit outfits shoes clothing clothes designer
    designers runway makeup beauty hair hairstyle skin skincare lipstick nails nail model models vogue trend trends look
    looks jewelry bag jeans gown carpet shop sale color bridal fragrance lingerie`,
  travel: `travel traveler travelers traveling trip trips vacation vacations hotel hotels flight flights airline airlines
    airport beach beaches island islands resort destination destinations tourist tourists tourism city cities passport
    cruise adventure explore tour guide road plane passengers luggage visit scenic hiking mountains park`,
  women: `women woman women's girls girl female feminist feminism feminists gender sexist sexism misogyny sexual harassment
    assault metoo abortion reproductive birth control planned parenthood equality equal pay motherhood body lesbian
    empowerment pregnancy rape survivors`,
  "culture & arts": `art arts artist artists museum museums gallery exhibition painting paintings painter sculpture poet
    poetry poem novel author book books literary literature photographer photographs photography theater theatre opera
    ballet dance dancer architecture culture cultural creative mural curator portrait installation orchestra playwright
    design`,
};

/** Returns the terms that general knowledge ties to an option; the option's own words are not among them. */
export const topicTerms = (option: string): ReadonlySet<string> => topics.get(option.toLowerCase()) ?? new Set();

/** Counts the vocabulary words of each topic: a vector in topic space, for likeness of texts that share no word. */
export const topicVector = (counts: ReadonlyMap<string, number>): Map<string, number> =>
  countsOf([...counts.keys()].flatMap((term) => topicsOf.get(term) ?? []));

const topics = new Map<string, ReadonlySet<string>>();
const topicsOf = new Map<string, string[]>();
for (const [name, list] of [...Object.entries(news), ...Object.entries(movies)]) {
  const stems = new Set(list.split(/\s+/).map(stem));
  for (const term of terms(name)) stems.delete(term);
  topics.set(name, stems);
  for (const term of stems) topicsOf.set(term, [...(topicsOf.get(term) ?? []), name]);
}

/** Words of praise and blame by leaning; a word in several lists takes the first. */
const scale: Readonly<Record<string, string>> = {
  "+2": `amazing awesome excellent outstanding fantastic perfect perfectly brilliant superb wonderful wonderfully incredible
    masterpiece phenomenal loved love loves favorite best terrific exceptional flawless stunning spectacular captivating
    captivated gripping hooked unputdownable magnificent delightful marvelous beautifully gem must-read must-have`,
  "+1": `good great nice enjoyed enjoy enjoyable fun funny happy pleased recommend recommended recommending works worked well
    solid easy easily useful helpful interesting entertaining beautiful lovely sweet comfortable durable quality fresh
    sturdy glad impressed impressive satisfied fast smooth clear clever charming engaging exciting intriguing heartwarming
    worth favorite pleasant pleasantly fine cute reliable strong treat hilarious highly better talented looking-forward`,
  "-0.6": `okay ok but however although though unfortunately slow slowly predictable average mediocre somewhat bit little
    wish wished lacking lacks lacked short long decent flat issue issues complaint only expected hoped confusing confused
    except missing rushed repetitive forced weak dated`,
  "-1.5": `bad poor poorly disappointed disappointing disappointment disappoint boring bored annoying annoyed cheap broke broken
    breaks problem problems difficult hard waste wasted dull fails failed failure returned return flimsy useless skip
    uncomfortable defective stopped dislike disliked silly stupid ridiculous unrealistic uninteresting tedious leaks
    frustrating frustrated overpriced mess unfinished refund sorry wrong trouble`,
  "-2.5": `terrible horrible awful worst hate hated hates garbage junk trash crap pathetic dreadful disgusting unreadable
    unwatchable unusable worthless atrocious abysmal rubbish scam ripoff avoid lousy`,
};

const valence = new Map<string, number>();
for (const [value, list] of Object.entries(scale))
  for (const word of list.split(/\s+/)) if (!valence.has(word)) valence.set(word, Number(value));

const negations = new Set(
  `not no never hardly without don't didn't doesn't isn't wasn't won't can't couldn't wouldn't`.split(" "),
);

/** Returns the mean leaning of a text, in -1 (blame) .. 1 (praise); 0 where no word leans. Negated praise is mild blame. */
export function sentiment(text: string): number {
  let sum = 0;
  let found = 0;
  let sinceNegation = 9;
  for (const word of words(text)) {
    sinceNegation = negations.has(word) ? 0 : sinceNegation + 1;
    const value = valence.get(word);
    if (value === undefined) continue;
    sum += sinceNegation > 0 && sinceNegation <= 3 ? -0.6 * value : value;
    found++;
  }
  return found === 0 ? 0 : Math.tanh(sum / Math.sqrt(found + 2));
}
