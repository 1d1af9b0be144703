CREATE TABLE visits AS
FROM (VALUES ('2026-01', 13.3777, 52.5163), ('2026-01', 13.3779, 52.5162),
             ('2026-02', 13.3775, 52.5164), ('2026-02', 13.4094, 52.5208)) AS v(month, lon, lat);

CREATE TABLE months AS
SELECT month, ccbf_agg(lon, lat, 0.001) AS sketch FROM visits GROUP BY month;

SELECT month, octet_length(sketch) AS bytes,
       ccbf_get(sketch, 13.3777, 52.5163) AS brandenburg_gate,
       ccbf_bbox_sum(sketch, 13.0, 52.3, 13.8, 52.7) AS berlin
FROM months ORDER BY month;

SELECT ccbf_polygon_sum(ccbf_union_agg(sketch),
         'POLYGON ((13.36 52.51, 13.42 52.51, 13.42 52.53, 13.37 52.53, 13.36 52.51))') AS both_months
FROM months;
