/** Own word lists: what the usual news categories are about. */
export const news: Readonly<Record<string, string>> = {
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
